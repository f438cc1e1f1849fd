"""Answers made of the passages' own sentences."""
