"""The walk from a document to searchable passages."""
