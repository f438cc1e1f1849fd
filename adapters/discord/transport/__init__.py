"""How it is reached."""
