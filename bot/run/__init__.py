"""`citewell run`: from a message that was leased to the reply that is posted, and what goes on beside it."""
