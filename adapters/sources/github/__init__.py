"""A repository's issues, discussions and wiki on GitHub as a source."""
