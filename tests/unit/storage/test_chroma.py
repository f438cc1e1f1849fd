"""Chroma holds what it was given last: exact search over the same matrix is the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.errors import Unavailable
from storage.sqlite.chroma import ChromaVectors
from storage.sqlite.exact_search import ExactVectors, VectorMatrix
from tests.doubles.chroma import chroma_server
from tests.doubles.ports import free_port
from tests.doubles.samples import DIMENSIONS, rows

ROWS = np.rint(rows(60, seed=5) * 200).astype(np.int8)


@pytest.fixture
def chroma() -> Iterator[ChromaVectors]:
    opened = ChromaVectors.in_memory()
    yield opened
    opened.close()


def matrix(numbers: set[int]) -> VectorMatrix:
    """Some of 60 vectors; a number's collection is its remainder by 3."""
    chosen = np.array(sorted(numbers), np.int64)
    lengths = np.linalg.norm(ROWS[chosen].astype(np.float32), axis=1)
    return VectorMatrix("m", 1, chosen, ROWS[chosen].reshape(-1, DIMENSIONS), lengths, chosen % 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(states=st.lists(st.sets(st.integers(0, 59)), min_size=1, max_size=6), seen=st.sets(st.integers(0, 3)))
def test_after_any_changes_it_finds_what_exact_search_finds(
    chroma: ChromaVectors, states: list[set[int]], seen: set[int]
) -> None:
    oracle = ExactVectors()
    for numbers in states:
        for index in (chroma, oracle):
            index.replace(matrix(numbers))
        for question in rows(3, seed=6):
            found, expected = (index.nearest(question, seen, 60) for index in (chroma, oracle))
            assert {number for number, _ in found} == {number for number, _ in expected}
            assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-3)


def test_two_of_one_process_share_nothing(chroma: ChromaVectors) -> None:
    other = ChromaVectors.in_memory()
    chroma.replace(matrix({0, 3}))
    other.replace(matrix({6}))
    assert [number for number, _ in other.nearest(rows(1)[0], [0], 9)] == [6]
    other.close()
    assert {number for number, _ in chroma.nearest(rows(1)[0], [0], 9)} == {0, 3}


def test_ten_dropped_collections_wear_a_small_one_out(chroma: ChromaVectors) -> None:
    for number in range(11):
        assert not chroma.is_worn
        chroma.replace(matrix({number}))
        chroma.replace(matrix(set()))
    assert chroma.is_worn


def test_on_a_server_only_what_a_crash_left_of_ones_own_is_deleted(tmp_path: Path) -> None:
    with chroma_server(tmp_path, free_port()) as url:
        other, left = ChromaVectors.on_server(url, "other-"), ChromaVectors.on_server(url, "own-")
        for one in (other, left):
            one.replace(matrix({0, 3}))
        own = ChromaVectors.on_server(url, "own-")
        with pytest.raises(Unavailable):
            left.nearest(rows(1)[0], [0], 9)
        assert len(other.nearest(rows(1)[0], [0], 9)) == 2
        for one in (other, left, own):
            one.close()
