"""How the hits of two retrievers become one ranking, and how far a passage fits its question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from pipeline.ports import Vectors
from pipeline.text import terms
from pipeline.values import Hit

WEIGHT = 0.5
"""Share of the lexical score in the sum; flat between 0.35 and 0.65 on the development sets."""
NEAR_COPY = 0.8
"""Jaccard overlap of five-word shingles above which two passages say the same thing."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk with its place in a fused ranking."""

    chunk_id: str
    fused: float
    """0 to 1, comparable within one query only."""
    ranks: dict[str, int] = field(default_factory=dict)
    unit_scores: tuple[float, ...] = ()


def rank(
    lexical: Sequence[Hit], near: Sequence[Hit], units: Mapping[str, Vectors], question: Vectors | None
) -> list[Ranked]:
    """Fuse by the sum of scores, each divided by the best of its kind; the vector score is that of the best unit."""
    words = {hit.chunk_id: hit.score for hit in lexical}
    ids = list(dict.fromkeys(hit.chunk_id for hit in (*lexical, *near)))
    if not ids:
        return []
    cosines = _unit_cosines(ids, units, question)
    vector = {hit.chunk_id: hit.score for hit in near} | {key: max(value) for key, value in cosines.items()}
    by_words = np.array([words.get(key, 0.0) for key in ids])
    by_vector = np.array([max(vector.get(key, 0.0), 0.0) for key in ids])
    fused = WEIGHT * _normalised(by_words) + (1 - WEIGHT) * _normalised(by_vector)
    places = {
        name: {hit.chunk_id: place for place, hit in enumerate(hits, 1)}
        for name, hits in (("lexical", lexical), ("vector", near))
    }
    return [
        Ranked(
            ids[i],
            float(fused[i]),
            {name: place[ids[i]] for name, place in places.items() if ids[i] in place},
            cosines.get(ids[i], ()),
        )
        for i in np.argsort(-fused, kind="stable")
    ]


def _normalised(scores: np.ndarray) -> np.ndarray:
    best = scores.max()
    return scores / best if best > 0 else scores


def _unit_cosines(
    ids: Sequence[str], units: Mapping[str, Vectors], question: Vectors | None
) -> dict[str, tuple[float, ...]]:
    present = [key for key in ids if key in units and len(units[key])]
    if question is None or not present:
        return {}
    scores = np.concatenate([units[key] for key in present]) @ question
    ends = np.cumsum([len(units[key]) for key in present])
    return {key: tuple(part.tolist()) for key, part in zip(present, np.split(scores, ends[:-1]), strict=True)}


def calibrated(ranked: Ranked, asked: frozenset[str], text: str) -> float:
    """0 to 1: the mean of the best unit's cosine and the share of the question's terms in the passage."""
    coverage = len(asked & set(terms(text))) / len(asked) if asked else 0.0
    if not ranked.unit_scores:
        return coverage
    return 0.5 * min(max(max(ranked.unit_scores), 0.0), 1.0) + 0.5 * coverage


def distinct(found: Sequence[T], texts: Sequence[str]) -> list[T]:
    """`found` without the later of two whose `texts` are near-copies of each other."""
    kept: list[T] = []
    shingles: list[frozenset[int]] = []
    for one, text in zip(found, texts, strict=True):
        own = _shingles(text)
        if all(len(own & other) < NEAR_COPY * len(own | other) for other in shingles if other):
            kept.append(one)
            shingles.append(own)
    return kept


def _shingles(text: str) -> frozenset[int]:
    words = text.lower().split()
    return frozenset(hash(tuple(words[i : i + 5])) for i in range(max(1, len(words) - 4)))
