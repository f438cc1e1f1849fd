"""What is remembered: one SQLite file is the truth, the vector index is a cache beside it."""
