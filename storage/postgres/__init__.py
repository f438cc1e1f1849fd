"""PostgreSQL: full text by tsvector, vectors by pgvector."""
