"""The only way out for document sources: what is fetched cannot reach into the network that this machine is in."""
