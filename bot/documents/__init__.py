"""Indexing: documents, their sources, and keeping both up to date."""
