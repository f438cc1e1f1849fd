"""Checks and normalization for the vectors of every embedder."""

from __future__ import annotations

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ports import Vectors


def vector_norms(service: str, vectors: Vectors) -> Vectors:
    """Return the length of each row, shape (n, 1). Raise Unavailable where numbers are not finite."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise Unavailable(service, "returned numbers that are not finite")
    return lengths


def normalize_vectors(service: str, vectors: Vectors) -> Vectors:
    """Return each row scaled to unit length. Raise Unavailable where numbers are not finite."""
    unit: Vectors = (vectors / np.maximum(vector_norms(service, vectors), 1e-12)).astype(np.float32, copy=False)
    return unit
