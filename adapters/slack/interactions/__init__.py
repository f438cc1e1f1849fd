"""Buttons, forms, shortcuts, commands and the App Home of Slack."""
