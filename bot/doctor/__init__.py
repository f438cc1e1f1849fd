"""`citewell doctor`: is this installation well, and where not, what mends it?"""
