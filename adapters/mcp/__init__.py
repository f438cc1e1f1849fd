"""The MCP server: search, ask and read for whoever works in an editor."""
