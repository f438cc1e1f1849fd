"""Retrieval and indexing beside LlamaIndex: the same documents, weights and core."""
