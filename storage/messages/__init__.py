"""From a message that waits to the answer that is kept, and what is posted besides."""
