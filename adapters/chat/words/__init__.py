"""What forms, commands and notices say."""
