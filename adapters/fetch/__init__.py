"""The only way out for document sources: a fetched URL cannot reach into this machine's own network."""
