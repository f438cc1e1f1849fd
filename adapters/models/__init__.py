"""Language models and embedders."""
