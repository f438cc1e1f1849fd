"""`citewell doctor`: checks of an installation, with a remedy for each problem."""
