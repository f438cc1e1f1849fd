"""The chat application, for every platform: events and interactions, their handling, and replies. A platform's driver
reads, renders and sends."""
