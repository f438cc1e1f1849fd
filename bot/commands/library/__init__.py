"""The commands about what is indexed."""
