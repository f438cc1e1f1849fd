"""Replies and notices on Discord: posted, edited, found again."""
