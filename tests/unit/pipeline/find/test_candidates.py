"""The passages of a query are read once, and come out the same however they are read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.candidates import CandidatePassages
from pipeline.find.fusion import ExecutedQuery, score_passages
from pipeline.ports import UnitVectors
from pipeline.values import BlockKind, Chunk, Document, Unit
from pipeline.words.text import content_terms, sentence_spans
from tests.doubles.samples import document

TEXTS = [
    "The notice period is three months. It begins on the first day of a month.",
    "Notices are given in writing.",
    "Naïve cafés close at noon. The office does not.\nA period of rest follows.",
    "Laptops are replaced every three years.",
]
RARITY = {term: 1.0 + len(term) / 10 for term in content_terms("notice period of the café laptop")}


def pair(number: int, text: str) -> tuple[Chunk, Document]:
    units = tuple(Unit(start=start, end=end, kind=BlockKind.PROSE) for start, end in sentence_spans(text))
    name = f"d{number}"
    return Chunk(id=name, document_id=name, text=text, units=units), document(name)


class Shelf:
    """Passages with vectors, the last one without; it notes what is read."""

    def __init__(self) -> None:
        self.pairs = {chunk.id: (chunk, about) for chunk, about in map(pair, range(len(TEXTS)), TEXTS)}
        self.reads: list[Sequence[str]] = []

    async def get_with_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[tuple[Chunk, Document]], UnitVectors]:
        self.reads.append(chunk_ids)
        pairs = [self.pairs[chunk_id] for chunk_id in chunk_ids if chunk_id in self.pairs]
        blocks = {chunk.id: unit_rows(chunk) for chunk, _ in pairs if chunk.id != f"d{len(TEXTS) - 1}"}
        ends = np.cumsum([0, *map(len, blocks.values())]).tolist()
        rows = {chunk_id: slice(*ends[place : place + 2]) for place, chunk_id in enumerate(blocks)}
        return pairs, UnitVectors(np.concatenate([np.zeros((0, 8), np.float32), *blocks.values()]), rows)


def unit_rows(chunk: Chunk) -> np.ndarray:
    rows = np.random.default_rng(len(chunk.text)).normal(size=(len(chunk.units), 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def asked(rarity: dict[str, float] = RARITY) -> ExecutedQuery:
    return ExecutedQuery(rarity, np.eye(8, dtype=np.float32)[0])


async def test_what_was_read_before_is_not_read_again() -> None:
    shelf = Shelf()
    candidates = CandidatePassages(shelf)
    await candidates.read(["d1", "gone", "d0"])
    found = await candidates.read(["d2", "d0", "gone", "d1", "d2"])
    assert [chunk.id for chunk, _ in found] == ["d2", "d0", "d1"]
    assert shelf.reads == [["d1", "gone", "d0"], ["d2"]]


@given(st.permutations(range(len(TEXTS))), st.integers(0, len(TEXTS)))
async def test_passages_that_were_read_in_parts_score_as_if_read_at_once(order: list[int], first: int) -> None:
    ids = [f"d{number}" for number in order]
    at_once, in_parts = CandidatePassages(Shelf()), CandidatePassages(Shelf())
    passages = await at_once.read(ids)
    in_parts.measure("question", asked(), await in_parts.read(ids[:first]))
    scores, expected = [
        score_passages(asked(), candidates.measure("question", asked(), await candidates.read(ids)))
        for candidates in (in_parts, at_once)
    ]
    assert [passage.chunk_id for passage in scores.passages] == [chunk.id for chunk, _ in passages]
    assert np.allclose(scores.fused, expected.fused)
    assert scores.missing == expected.missing


async def test_a_passage_is_measured_anew_when_other_words_were_searched_for() -> None:
    candidates = CandidatePassages(Shelf())
    passages = await candidates.read(["d0", "d3"])
    candidates.measure("question", asked({"laptop": 1.0}), passages)
    scores = score_passages(asked(), candidates.measure("question", asked(), passages))
    assert scores.missing == {"cafe"}


async def test_words_count_where_they_stand() -> None:
    candidates = CandidatePassages(Shelf())
    (first, second, third, last) = candidates.measure(
        "question", asked(), await candidates.read(["d0", "d1", "d2", "d3"])
    )
    shares = {term: weight / sum(RARITY.values()) for term, weight in RARITY.items()}
    assert [len(passage.units) for passage in (first, second, third, last)] == [2, 1, 3, 0]
    told = [value - cosine for value, cosine in zip(first.unit_relevance, first.units.tolist(), strict=True)]
    assert np.allclose(told, [shares["notic"] + shares["period"], 0.0])
    assert np.allclose(last.unit_relevance, [shares["laptop"]])
    assert last.window == shares["laptop"]
