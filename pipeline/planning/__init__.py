"""What to do with a message."""
