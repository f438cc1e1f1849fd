"""Scores of how well passages, and each of their sentences, answer a question."""
