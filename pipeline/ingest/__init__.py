"""Ingestion: from documents to searchable passages."""
