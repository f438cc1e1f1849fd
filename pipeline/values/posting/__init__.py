"""What is to be posted, and what comes of it."""
