"""`citewell run`: from a leased message to the posted reply, and the work beside it."""
