"""Events from Slack into the inbox, and Slack's earlier messages."""
