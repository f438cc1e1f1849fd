"""The thinking: what a question becomes on its way to a cited answer. No I/O happens here."""
