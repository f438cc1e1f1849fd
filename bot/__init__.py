"""Wiring: makes live objects of the settings, and starts them from the command line."""
