"""Citewell in a browser: the third platform, whose messages are our own pages."""
