"""The settings: what can be set, where it is read from, and what is wrong with it, in words."""
