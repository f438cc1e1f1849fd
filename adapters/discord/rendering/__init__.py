"""Discord's Markdown and components: replies and their buttons."""
