"""Texts of forms, commands and notices."""
