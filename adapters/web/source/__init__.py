"""`/s/`: a document as text, at the cited passage."""
