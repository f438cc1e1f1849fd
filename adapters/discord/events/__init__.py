"""Events from Discord into the inbox, and Discord's earlier messages."""
