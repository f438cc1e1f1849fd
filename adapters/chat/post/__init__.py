"""Replies: shown while they are written, completed, or refused."""
