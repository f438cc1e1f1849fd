"""The HTTP API under `/api/v1`, described by OpenAPI."""
