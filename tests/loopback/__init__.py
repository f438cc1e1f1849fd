"""Loopback: a place to chat that lives in the tests alone, in one process. It proves where the border of a platform is:
its ids hold colons, slashes and blanks, it has no streams, no search and nobody who stops an answer, and nothing but
this folder and one line of wiring knows it."""
