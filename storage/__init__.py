"""Storage in SQLite or PostgreSQL: the stores are shared, and each engine has a package of its own."""
