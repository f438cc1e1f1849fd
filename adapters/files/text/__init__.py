"""Formats that are text, and mail."""
