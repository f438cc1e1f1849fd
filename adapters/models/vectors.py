"""What vectors of every embedder have to be."""

from __future__ import annotations

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ports import Vectors


def vector_norms(service: str, vectors: Vectors) -> Vectors:
    """Of each row, shape (n, 1). Raises Unavailable where numbers are not finite."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise Unavailable(service, "returned numbers that are not finite")
    return lengths


def normalize_vectors(service: str, vectors: Vectors) -> Vectors:
    """The direction of each row. Raises Unavailable where numbers are not finite."""
    unit: Vectors = (vectors / np.maximum(vector_norms(service, vectors), 1e-12)).astype(np.float32, copy=False)
    return unit
