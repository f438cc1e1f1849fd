"""Handlers of buttons, forms and commands, one for each action."""
