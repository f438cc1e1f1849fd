"""The schema, declared once: engines create their tables from it, and work on all tables reads it."""
