"""Discord: direct messages, mentions, threads and slash commands."""
