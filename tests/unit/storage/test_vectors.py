"""Stored vectors keep their direction."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from storage.documents.revision import mean_direction, pack_vectors, unpack_vectors
from tests.doubles.samples import rows

matrices = arrays.arrays(
    np.float32,
    st.tuples(st.integers(0, 5), st.just(8)),
    elements=st.floats(-1, 1, width=32).map(lambda number: float(np.float32(round(number, 3)))),
)


@given(matrices)
def test_packing_keeps_shape_and_direction(vectors: np.ndarray) -> None:
    unpacked = unpack_vectors(pack_vectors(vectors), 8)
    assert unpacked.shape == vectors.shape
    lengths = np.linalg.norm(vectors, axis=1)
    for row, length, back in zip(vectors, lengths, unpacked, strict=True):
        if length > 0:
            assert row @ back / length > 0.998


def test_a_byte_a_dimension_is_precise_enough() -> None:
    vectors = rows(200, dimensions=384)
    assert np.einsum("ij,ij->i", vectors, unpack_vectors(pack_vectors(vectors), 384)).min() > 0.9999


def test_the_mean_is_a_direction() -> None:
    assert abs(np.linalg.norm(mean_direction(rows(3))) - 1) < 1e-6
