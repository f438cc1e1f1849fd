"""Replies as blocks that each platform only has to render."""
