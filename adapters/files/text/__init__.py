"""Formats that are text."""
