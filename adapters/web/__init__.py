"""Citewell in a browser: the third platform, whose messages are pages of our own."""
