"""How well passages, and each sentence of them, answer a question."""
