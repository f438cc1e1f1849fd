"""The reader of DOCX."""
