"""The MCP server: search, ask and read for people who work in an editor."""
