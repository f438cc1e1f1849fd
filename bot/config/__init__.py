"""The settings: their declarations, their sources, and error messages about them."""
