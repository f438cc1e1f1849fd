"""Services behind buttons, forms and commands."""
