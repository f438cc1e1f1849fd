"""The terminal as a platform: answers rendered for people to read."""
