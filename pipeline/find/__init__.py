"""Retrieval: from a search to the passages that may answer it."""
