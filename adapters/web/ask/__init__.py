"""Asking, reading on, and what can be pressed below an answer."""
