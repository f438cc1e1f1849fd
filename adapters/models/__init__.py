"""Language models, embedders and rerankers."""
