"""Asking, reading a conversation, and the buttons below an answer."""
