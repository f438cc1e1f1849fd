"""Who may see and do what, and what holds where."""
