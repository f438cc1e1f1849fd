"""The pipeline from a question to a cited answer. No I/O happens here."""
