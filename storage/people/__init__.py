"""Data of people and workspaces: exported, counted and forgotten."""
