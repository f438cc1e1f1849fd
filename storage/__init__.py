"""What is remembered, in SQLite or PostgreSQL: the stores are the same, the engines have a package each."""
