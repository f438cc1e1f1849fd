"""Documents and their passages: stored, replaced and found."""
