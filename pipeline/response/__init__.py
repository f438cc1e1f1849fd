"""The walk from a question to its answer."""
