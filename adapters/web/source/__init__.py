"""`/s/`: a document as text, at the passage that was cited."""
