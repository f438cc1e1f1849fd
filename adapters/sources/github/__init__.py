"""A GitHub repository's issues, discussions and wiki as a source."""
