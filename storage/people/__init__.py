"""What is kept of people and workspaces: shown, counted, and forgotten."""
