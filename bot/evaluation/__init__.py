"""`citewell eval`: the real pipeline on data with known answers."""
