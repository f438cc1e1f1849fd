"""What is to be done about a message."""
