"""Checks of whether a sentence is supported by the passages it names."""
