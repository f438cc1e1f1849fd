"""Answers written from passages: by a language model, or of the passages' own sentences."""
