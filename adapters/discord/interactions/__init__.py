"""Buttons, forms, menus and slash commands of Discord."""
