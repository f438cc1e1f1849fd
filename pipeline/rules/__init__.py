"""Rules of access and of settings."""
