"""How the hits of two retrievers become one ranking, and how far a passage fits its question.

Four measures are each divided by the best of their kind and added: BM25, the cosine of the whole passage, the best
two neighbouring units by meaning and words together (the window), and the question's word pairs found side by side.
`bench/fit_retrieval.py` fits the weights on the development sets; recall hardly moves with any of them by a third.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.find.occurrences import Wanted, pairs
from pipeline.ports import UnitVectors, Vectors
from pipeline.values import Chunk, Document, Hit

WEIGHTS = np.array([0.10, 0.31, 0.51, 0.08])
"""Of BM25, whole passage, window and word pairs."""
FIRST_LEXICAL, FIRST_UNIT, FIRST_WHOLE = 0.4, 0.6, 0.3
"""Weights of the ranking that decides which passages are read at all: BM25, best unit, whole passage."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is known of the hits of one query before any text is read; arrays run parallel to `ids`."""

    ids: tuple[str, ...]
    lexical: Numbers
    """BM25; 0 for a chunk that lexical search did not find."""
    whole: Numbers
    """Cosine of the mean of the units."""
    units: Mapping[str, NDArray[np.float32]]
    """Cosine of each unit; a chunk without vectors is left out."""
    best_unit: Numbers
    """The best of them; 0 without vectors."""
    ranks: Mapping[str, dict[str, int]] = field(default_factory=dict)

    def first_ranking(self) -> Numbers:
        """A score for each candidate that needs no text."""
        return (
            FIRST_LEXICAL * _relative(self.lexical)
            + FIRST_UNIT * _relative(self.best_unit)
            + FIRST_WHOLE * _relative(self.whole)
        )


def candidates(
    ids: Sequence[str],
    lexical: Sequence[Hit],
    near: Sequence[Hit],
    vectors: UnitVectors | None,
    question: Vectors | None,
) -> Candidates:
    """Measure the chunks `ids` against one question; without its vector only by words."""
    found = {hit.chunk_id: hit.score for hit in lexical}
    whole, best, units = np.zeros(len(ids)), np.zeros(len(ids)), {}
    if question is not None and vectors is not None and vectors.rows:
        places = {key: place for place, key in enumerate(ids)}
        present = [places[key] for key in vectors.rows]
        starts = [rows.start for rows in vectors.rows.values()]
        cosines = vectors.matrix @ question
        best[present] = np.maximum.reduceat(cosines, starts)
        directions = np.stack([vectors.matrix[rows].sum(axis=0) for rows in vectors.rows.values()])
        whole[present] = directions @ question / np.maximum(np.linalg.norm(directions, axis=1), 1e-9)
        units = {key: cosines[rows] for key, rows in vectors.rows.items()}
    ranks: dict[str, dict[str, int]] = {}
    for name, hits in (("lexical", lexical), ("vector", near)):
        for place, hit in enumerate(hits, 1):
            ranks.setdefault(hit.chunk_id, {})[name] = place
    scores = np.array([found.get(key, 0.0) for key in ids])
    return Candidates(tuple(ids), scores, np.maximum(whole, 0.0), units, best, ranks)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well passages fit one question; a row for each passage."""

    measures: Numbers
    """Shape (n, 4), in the order of WEIGHTS, each column divided by its best."""
    window: Numbers
    """0 to 1, comparable between questions: half cosine, half share of the question's words by rarity."""

    @property
    def fused(self) -> Numbers:
        """0 to 1, comparable within the question only."""
        scores: Numbers = self.measures @ WEIGHTS
        return scores


def fit(found: Candidates, passages: Sequence[tuple[Chunk, Document]], asked: Mapping[str, float]) -> Fit:
    """Read `passages` (with their titles and headings) for the terms `asked`, each with its rarity."""
    place = {key: number for number, key in enumerate(found.ids)}
    rows = [place[chunk.id] for chunk, _ in passages]
    window, phrase = _read(passages, Wanted(asked), np.fromiter(asked.values(), float), found.units)
    measures = (found.lexical[rows], found.whole[rows], window, phrase)
    return Fit(np.stack([_relative(one) for one in measures], axis=1), window)


def _read(
    passages: Sequence[tuple[Chunk, Document]],
    wanted: Wanted,
    rarity: Numbers,
    cosines: Mapping[str, NDArray[np.float32]],
) -> tuple[Numbers, Numbers]:
    """For each passage its best window of two units, and the rarity of its word pairs, as shares of the question.

    All units stand in one array, those of a passage after an empty row of its own, so that no window crosses."""
    first = np.cumsum([0, *(len(chunk.units) + 1 for chunk, _ in passages)])
    total = rarity.sum() or 1.0
    held = np.zeros((first[-1], len(rarity)), bool)
    titled = np.zeros_like(held)
    meaning, phrase, known = np.zeros(len(held)), np.zeros(len(passages)), np.zeros(len(passages), bool)
    for number, (chunk, document) in enumerate(passages):
        begin, end = first[number], first[number + 1]
        found = wanted.find(chunk.text)
        starts = [unit.start for unit in chunk.units]
        for start, _, term in found:
            held[begin + bisect_right(starts, start), term] = True
        held[begin] = False
        titled[begin:end, [term for *_, term in wanted.find(" ".join((document.title, *chunk.heading)))]] = True
        phrase[number] = sum(min(rarity[one], rarity[one + 1]) for one in pairs(chunk.text, found)) / total
        near = cosines.get(chunk.id)
        if near is not None and len(near) == len(starts):
            meaning[begin + 1 : end], known[number] = np.maximum(near, 0.0), True
    coverage = (titled | held | _shifted(held, first)) @ rarity / total
    return _best_window(coverage, np.maximum(meaning, _shifted(meaning, first)), first[:-1], known), phrase


def _best_window(coverage: Numbers, meaning: Numbers, first: NDArray[np.intp], known: NDArray[np.bool_]) -> Numbers:
    """Half coverage, half meaning; coverage alone where no vectors are known."""
    if not len(first):
        return np.zeros(0)
    both: Numbers = np.maximum.reduceat(coverage + meaning, first) / 2
    return np.where(known, both, np.maximum.reduceat(coverage, first))


def _shifted(rows: NDArray[Any], first: NDArray[np.intp]) -> NDArray[Any]:
    """Every row one later; nothing in the `first` row of a passage."""
    later = np.roll(rows, 1, axis=0)
    later[first[:-1]] = 0
    return later


def _relative(scores: Numbers) -> Numbers:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else np.zeros(len(scores))
