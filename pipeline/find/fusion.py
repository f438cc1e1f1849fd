"""Fusion of lexical and vector scores of passages.

Three measures are each divided by the best of their kind and added: BM25, the cosine of the whole passage, and the best
two neighbouring units by meaning and words together (the window). `bench/fit_retrieval.py` fits the weights on the
development sets; recall hardly moves with any of them by a third.

Where words do not match, meaning decides: the larger the share of a question's words, by rarity, that no passage holds,
the more the order is that of meaning alone. Of 60 paraphrases without a word of the paragraph that has the fact it is
first for 26 (20).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.find.calibration import NO_CALIBRATION, ScoreCalibration
from pipeline.ports import UnitVectors, Vectors
from pipeline.values import Chunk, Document, SearchHit
from pipeline.words.text import WORD, content_terms, strip_accents

FUSION_WEIGHTS = np.array([0.15, 0.20, 0.65])
"""Weights of BM25, whole passage and window."""
COSINE_WEIGHT = 0.7
"""Weight of the cosine alone where the words say less: the floor for a whole sentence, .35, stands at a cosine of .5.
One question in twenty on a subject that a library does not treat comes nearer to one of its passages; of those it does
treat, 19 of 20."""

ScoreArray = NDArray[np.float64]
_FOREIGN = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class ExecutedQuery:
    """A text that was searched for: the rarity of its words, and the results of both searches."""

    rarity: Mapping[str, float]
    """Rarity of each stem that was searched for."""
    vector: Vectors | None
    lexical: Sequence[SearchHit] = ()
    nearest: Sequence[SearchHit] = ()
    calibration: ScoreCalibration = NO_CALIBRATION
    """Calibration of its vector."""
    is_english: bool = True
    """True where it may be in English, the language of the embedder that thresholds are fitted with: in another, of 160
    questions to XQuAD in German .919 find their passage first by words and .887 where meaning decides."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """Scores of passages for one text; a row for each passage."""

    measures: ScoreArray
    """Shape (n, 3), in the order of `FUSION_WEIGHTS`, each column divided by its best."""
    window: ScoreArray
    """0 to 1, comparable between questions: half cosine, half share of the question's words by rarity."""
    units: Mapping[str, NDArray[np.float32]]
    """Cosine of each unit by chunk; a chunk without vectors is left out."""
    unit_relevance: Mapping[str, ScoreArray]
    """Sum, for each unit by chunk, of the share of the text's words in it or above it, and its cosine."""
    meaning: ScoreArray
    """Cosine of the nearest unit of each passage, divided by the best; zeros without vectors."""
    missing: frozenset[str]
    """Stems that no passage holds."""
    unmatched_share: float
    """Share of the missing stems, by rarity; 0 where the embedder does not understand the language."""

    @property
    def fused(self) -> ScoreArray:
        """Fused scores, 0 to 1, comparable within the question only."""
        scores: ScoreArray = self.measures @ FUSION_WEIGHTS
        if not self.unmatched_share or not self.meaning.any():
            return scores
        _, passage_weight, window_weight = FUSION_WEIGHTS
        by_meaning: ScoreArray = (passage_weight * self.measures[:, 1] + window_weight * self.meaning) / (
            passage_weight + window_weight
        )
        mixed: ScoreArray = (1 - self.unmatched_share) * scores + self.unmatched_share * by_meaning
        return mixed

    @property
    def best(self) -> float:
        """Best score of a window."""
        return float(self.window.max(initial=0.0))


def score_passages(
    query: ExecutedQuery, passages: Sequence[tuple[Chunk, Document]], vectors: UnitVectors
) -> PassageScores:
    """Score `passages` (with their titles and headings) for `query`; without its vector only by words.

    All units stand in one array, those of a passage after an empty row of its own, so that no window crosses."""
    lexical = {hit.chunk_id: hit.score for hit in query.lexical}
    units: dict[str, NDArray[np.float32]] = {}
    passage_cosines = dict.fromkeys(lexical, 0.0)
    if query.vector is not None and vectors.rows:
        calibration, question = query.calibration, query.calibration.center_question(query.vector)
        matrix = calibration.center_units(vectors.matrix)
        cosines = calibration.calibrate(matrix @ question)
        units = {
            chunk.id: _expand_units(cosines[rows], chunk)
            for chunk, _ in passages
            if (rows := vectors.rows.get(chunk.id))
        }
        sums = np.stack([matrix[rows].sum(axis=0) for rows in vectors.rows.values()])
        directions = calibration.calibrate(sums @ question / np.maximum(np.linalg.norm(sums, axis=1), 1e-9))
        passage_cosines = dict(zip(vectors.rows, directions.tolist(), strict=True))
    window, unit_relevance, missing = _score_windows(query.rarity, passages, units)
    ids = [chunk.id for chunk, _ in passages]
    nearest = {key: float(cosines.max()) for key, cosines in units.items()}
    columns = [
        np.array([max(scores.get(key, 0.0), 0.0) for key in ids]) for scores in (lexical, passage_cosines, nearest)
    ]
    bm25, passage, meaning = map(_normalize, columns)
    return PassageScores(
        measures=np.stack([bm25, passage, _normalize(window)], axis=1),
        window=window,
        units=units,
        unit_relevance=unit_relevance,
        meaning=meaning,
        missing=missing,
        unmatched_share=sum(query.rarity[term] for term in missing)
        / (sum(query.rarity.values()) or 1.0)
        * query.is_english,
    )


def _score_windows(
    rarity: Mapping[str, float], passages: Sequence[tuple[Chunk, Document]], cosines: Mapping[str, NDArray[np.float32]]
) -> tuple[ScoreArray, dict[str, ScoreArray], frozenset[str]]:
    """Score the best two neighbouring units of each passage: half coverage and half meaning, or `COSINE_WEIGHT` times
    meaning if that is more; coverage alone where no vectors are known. Return these scores with
    `PassageScores.unit_relevance` and the terms that no passage holds."""
    if not passages:
        return np.zeros(0), {}, frozenset(rarity)
    first = np.cumsum([0, *(len(chunk.units) + 1 for chunk, _ in passages)])
    matcher = TermMatcher(rarity)
    held = np.zeros((first[-1], len(rarity)), bool)
    titled = np.zeros_like(held)
    meaning, has_vectors = np.zeros(len(held)), np.zeros(len(passages), bool)
    for number, ((chunk, document), begin) in enumerate(zip(passages, first.tolist(), strict=False)):
        header = " ".join((document.title, *chunk.heading, ""))
        starts = [unit.start for unit in chunk.units]
        for start, term in matcher.find(header + chunk.text):
            if start < len(header):
                titled[begin : begin + len(starts) + 1, term] = True
            elif unit := bisect_right(starts, start - len(header)):
                held[begin + unit, term] = True
        unit_cosines = cosines.get(chunk.id)
        if unit_cosines is not None and len(unit_cosines) == len(starts):
            meaning[begin + 1 : begin + 1 + len(starts)], has_vectors[number] = unit_cosines, True
    present = np.logical_or.reduce(held | titled, axis=0).tolist()
    weights = np.fromiter(rarity.values(), float) / (sum(rarity.values()) or 1.0)
    relevance = (titled | held) @ weights + meaning
    unit_relevance = {
        chunk.id: relevance[row + 1 : row + 1 + len(chunk.units)]
        for (chunk, _), row in zip(passages, first[:-1], strict=True)
    }
    coverage = (titled | held | _shift_down(held, first)) @ weights
    meaning = np.maximum(meaning, _shift_down(meaning, first))
    both: ScoreArray = np.maximum.reduceat(np.maximum((coverage + meaning) / 2, COSINE_WEIGHT * meaning), first[:-1])
    windows = np.where(has_vectors, both, np.maximum.reduceat(coverage, first[:-1]))
    return (
        windows,
        unit_relevance,
        frozenset(term for term, is_present in zip(rarity, present, strict=True) if not is_present),
    )


def _expand_units(cosines: NDArray[np.float32], chunk: Chunk) -> NDArray[np.float32]:
    """Return a cosine for each unit, also where one vector stands for all."""
    return np.repeat(cosines, len(chunk.units)) if chunk.together and len(cosines) == 1 else cosines


def _shift_down(rows: NDArray[Any], first: NDArray[np.intp]) -> NDArray[Any]:
    """Move every row down by one; zero in the `first` row of a passage."""
    later = np.roll(rows, 1, axis=0)
    later[first[:-1]] = 0
    return later


def _normalize(scores: ScoreArray) -> ScoreArray:
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


class TermMatcher:
    """Finds terms, as `text.content_terms` makes them, in texts; they are numbered in their order."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = [(term, _prefix(term)) for term in terms]

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the start of each occurrence of each term in `text`, with the number of the term."""
        surface = text.lower()
        if len(surface) != len(text):
            surface = "".join(letter.lower()[0] for letter in text)
        if not surface.isascii():
            surface = _FOREIGN.sub(_strip_marks, surface)
        occurrences: list[tuple[int, int]] = []
        for number, (term, beginning) in enumerate(self._terms):
            start = surface.find(beginning)
            while start >= 0:
                end = self._word_end(surface, start, term)
                if end:
                    occurrences.append((start, number))
                start = surface.find(beginning, max(end, start + 1))
        return occurrences

    @staticmethod
    def _word_end(surface: str, start: int, term: str) -> int:
        """Return the end of the word at `start` if it is `term`, else 0."""
        if not term.isascii() and surface.startswith(term, start) and not _is_spaced(term):
            return start + len(term)
        if start and surface[start - 1].isalnum():
            return 0
        match = WORD.match(surface, start)
        return match.end() if match and term in _terms(match.group()) else 0


def _strip_marks(match: re.Match[str]) -> str:
    plain = strip_accents(match.group()).replace("ς", "σ")
    return plain if len(plain) == 1 else match.group()


@lru_cache(maxsize=65536)
def _terms(word: str) -> tuple[str, ...]:
    return tuple(content_terms(word))


def _prefix(term: str) -> str:
    """Return the common prefix of all words with this stem: Porter stems may change the last letter (`happy`,
    `filing`)."""
    return term[:-1] if len(term) > 2 and term[-1] in "eiy" else term


def _is_spaced(term: str) -> bool:
    """Return whether the script of `term` puts spaces between words."""
    return len(content_terms(term * 2)) == 1
