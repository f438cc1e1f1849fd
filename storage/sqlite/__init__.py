"""The embedded engine: one file, full text by FTS5, vectors by Chroma or exact search."""
