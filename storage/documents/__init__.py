"""Documents and their passages: kept, replaced, and found."""
