"""Replies and notices on Slack: posted, edited, found again."""
