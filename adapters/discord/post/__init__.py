"""Replies and notices: posted, edited, found again."""
