"""What is indexed, from where, and kept up to date."""
