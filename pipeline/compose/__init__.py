"""From checked sentences to an answer."""
