"""What buttons, forms and commands ask for after the answer."""
