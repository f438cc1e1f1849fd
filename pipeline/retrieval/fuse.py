"""How the hits of two retrievers become one ranking, and how far a passage fits its question.

Four measures are each divided by the best of their kind and added: BM25, the cosine of the whole passage, the best
two neighbouring units by meaning and words together (the window), and the question's word pairs found side by side.
`bench/fit_retrieval.py` fits the weights on the development sets; recall hardly moves with any of them by a third.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors
from pipeline.retrieval.occurrences import Wanted, pairs
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
    ranks: Mapping[str, dict[str, int]] = field(default_factory=dict)

    @property
    def best_unit(self) -> Numbers:
        return np.array([self.units[key].max() if key in self.units else 0.0 for key in self.ids])

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
    vectors: Mapping[str, Vectors],
    question: Vectors | None,
) -> Candidates:
    """Measure the chunks `ids` against one question; without its vector only by words."""
    found = {hit.chunk_id: hit.score for hit in lexical}
    whole, units = np.zeros(len(ids)), {}
    present = [key for key in ids if key in vectors and len(vectors[key])]
    if question is not None and present:
        cosine = {hit.chunk_id: hit.score for hit in near}
        for key in present:
            if key not in cosine:
                total = vectors[key].sum(axis=0)
                cosine[key] = float(total @ question) / max(float(np.linalg.norm(total)), 1e-9)
        whole = np.array([max(cosine.get(key, 0.0), 0.0) for key in ids])
        units = {key: vectors[key] @ question for key in present}
    ranks: dict[str, dict[str, int]] = {}
    for name, hits in (("lexical", lexical), ("vector", near)):
        for place, hit in enumerate(hits, 1):
            ranks.setdefault(hit.chunk_id, {})[name] = place
    return Candidates(tuple(ids), np.array([found.get(key, 0.0) for key in ids]), whole, units, ranks)


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
    wanted, rarity = Wanted(asked), np.fromiter(asked.values(), float)
    titled = [(chunk, " ".join((document.title, *chunk.heading))) for chunk, document in passages]
    read = [_read(chunk, title, wanted, rarity, found.units.get(chunk.id)) for chunk, title in titled]
    window, phrase = np.array(read).reshape(-1, 2).T
    measures = (found.lexical[rows], found.whole[rows], window, phrase)
    return Fit(np.stack([_relative(one) for one in measures], axis=1), window)


def _read(
    chunk: Chunk, title: str, wanted: Wanted, rarity: Numbers, cosines: NDArray[np.float32] | None
) -> tuple[float, float]:
    """The best window of two units, and the rarity of adjacent word pairs, each as a share of the question."""
    total = rarity.sum() or 1.0
    found = wanted.find(chunk.text)
    starts = [unit.start for unit in chunk.units]
    held = np.zeros((len(starts) + 1, len(rarity)), bool)
    for start, _, number in found:
        held[bisect_right(starts, start), number] = True
    held[0] = False
    both = held[1:] | held[:-1]
    both[:, [number for _, _, number in wanted.find(title)]] = True
    coverage = both @ rarity / total
    phrase = sum(min(rarity[first], rarity[first + 1]) for first in pairs(chunk.text, found)) / total
    if cosines is None or len(cosines) != len(coverage):
        return float(coverage.max(initial=0.0)), float(phrase)
    meaning = np.maximum(cosines, np.concatenate(([0.0], cosines[:-1])))
    return float((coverage + np.maximum(meaning, 0.0)).max(initial=0.0)) / 2, float(phrase)


def _relative(scores: Numbers) -> Numbers:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else np.zeros(len(scores))
