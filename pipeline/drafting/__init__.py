"""Drafting: from passages to an answer with every sentence checked."""
