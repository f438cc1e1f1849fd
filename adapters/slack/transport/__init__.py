"""Connections to Slack: Socket Mode, signed HTTP, OAuth, and a session for each workspace."""
