"""Composition of an answer from checked sentences."""
