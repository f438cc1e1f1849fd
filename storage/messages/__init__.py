"""Messages: from the inbox to the stored answer, and the posts of the outbox."""
