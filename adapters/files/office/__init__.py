"""The formats of Office."""
