"""The readers of text formats, and of mail."""
