"""Planning: how a message is answered."""
