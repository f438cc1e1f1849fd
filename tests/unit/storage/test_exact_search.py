"""Exact search finds what plain arithmetic finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.sqlite.exact_search import ExactVectors, VectorMatrix
from tests.doubles.samples import rows

COLLECTIONS = 3


def matrix(packed: np.ndarray) -> VectorMatrix:
    """A number's collection is its remainder by COLLECTIONS."""
    numbers = np.arange(len(packed), dtype=np.int64)
    lengths = np.maximum(np.linalg.norm(packed.astype(np.float32), axis=1), 1e-12)
    return VectorMatrix("m", 1, numbers, packed, lengths, numbers % COLLECTIONS)


@given(
    count=st.integers(0, 700),
    kinds=st.integers(1, 700),
    dimensions=st.sampled_from([1, 8, 384]),
    spread=st.sampled_from([0.001, 1.0]),
    seen=st.sets(st.integers(0, COLLECTIONS)),
    limit=st.integers(1, 20),
    seed=st.integers(0, 99),
)
def test_the_nearest_are_those_of_arithmetic(
    count: int, kinds: int, dimensions: int, spread: float, seen: set[int], limit: int, seed: int
) -> None:
    """Many rows may be equal, or all nearly so."""
    random = np.random.default_rng(seed)
    directions = random.standard_normal(dimensions) + spread * random.standard_normal((kinds, dimensions))
    packed = np.rint(directions * (127 / np.abs(directions).max(axis=1, keepdims=True))).astype(np.int8)
    stored = matrix(packed[random.integers(0, kinds, count)])
    question = rows(1, seed=seed, dimensions=dimensions)[0]
    found = ExactVectors(stored).nearest(question, seen, limit)
    cosines = stored.rows.astype(np.float64) @ question / stored.lengths
    best = sorted((cosine for number, cosine in enumerate(cosines) if number % COLLECTIONS in seen), reverse=True)
    assert [cosine for _, cosine in found] == pytest.approx(best[:limit], abs=1e-5)
    assert [cosine for _, cosine in found] == pytest.approx([cosines[number] for number, _ in found], abs=1e-5)
    assert len({number for number, _ in found}) == len(found)
    assert all(number % COLLECTIONS in seen for number, _ in found)


def test_of_equal_passages_the_first_come_first() -> None:
    stored = matrix(np.full((600, 8), 5, np.int8))
    found = ExactVectors(stored).nearest(rows(1, dimensions=8)[0], {0, 1, 2}, 4)
    assert [number for number, _ in found] == [0, 1, 2, 3]


def test_a_vector_of_another_length_finds_nothing() -> None:
    assert ExactVectors(matrix(np.ones((3, 8), np.int8))).nearest(rows(1, dimensions=4)[0], {0, 1, 2}, 4) == []
