"""Vectors as they are stored: int8, one byte a dimension.

A row keeps its direction only: each is scaled by its own largest component, and brought back to unit length when read.
That keeps 99.2 to 99.6 % of the exact top 10 (technology notes, measured on 384 dimensions).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors


def pack(vectors: Vectors) -> bytes:
    """Shape (n, dimensions) or (dimensions,) as bytes, row after row."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=1e-12)
    return bytes(np.rint(vectors * (127.0 / largest)).astype(np.int8).tobytes())


def unpack(blob: bytes, dimensions: int) -> Vectors:
    """The inverse of `pack`: shape (n, dimensions), rows of unit length."""
    return unit(np.frombuffer(blob, dtype=np.int8).reshape(-1, dimensions))


def unit(rows: NDArray[np.int8] | Vectors) -> Vectors:
    """Rows scaled to unit length; a row of zeros stays one."""
    floats = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", floats, floats))
    floats /= np.maximum(lengths, 1e-12)[:, None]
    return floats


def mean(vectors: Vectors) -> Vectors:
    """The direction of the mean of unit vectors, shape (dimensions,)."""
    direction: Vectors = unit(vectors.mean(axis=0, dtype=np.float32)[None, :])[0]
    return direction
