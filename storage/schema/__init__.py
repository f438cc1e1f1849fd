"""The schema, said once: engines make their tables from it, and what is done with all tables knows them from it."""
