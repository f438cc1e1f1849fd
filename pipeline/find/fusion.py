"""Fusion of lexical and vector scores of passages.

Three measures are each divided by the best of their kind and added: BM25, the cosine of the whole passage, and the best
two neighbouring units by meaning and words together (the window). `bench/fit_retrieval.py` fits the weights on the
development sets; recall hardly moves with any of them by a third.

Where words do not match, meaning decides: the larger the share of a question's words, by rarity, that no passage holds,
the more the order is that of meaning alone. Of 60 paraphrases without a word of the paragraph that has the fact it is
first for 26 (20).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.find.calibration import NO_CALIBRATION, ScoreCalibration
from pipeline.ports import UnitVectors, Vectors
from pipeline.values import Chunk, Document, SearchHit
from pipeline.words.text import NOT_ASCII, WORD, content_terms, strip_accents, word_terms

FUSION_WEIGHTS = np.array([0.15, 0.20, 0.65])
"""Weights of BM25, whole passage and window."""
COSINE_WEIGHT = 0.7
"""Weight of the cosine alone where the words say less: the floor for a whole sentence, .35, stands at a cosine of .5.
One question in twenty on a subject that a library does not treat comes nearer to one of its passages; of those it does
treat, 19 of 20."""

ScoreArray = NDArray[np.float64]
NO_COSINES = np.zeros(0, np.float32)


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


class MeasuredPassage(NamedTuple):
    """A passage as it was measured for one text, by itself."""

    chunk_id: str
    cosine: float
    """Cosine of the whole passage; 0 without vectors."""
    nearest: float
    """Cosine of its nearest unit; 0 without vectors."""
    window: float
    """0 to 1, comparable between questions: half cosine, half share of the question's words by rarity."""
    terms: NDArray[np.bool_]
    """Whether it holds each of the text's terms."""
    units: NDArray[np.float32]
    """Cosine of each unit; empty without vectors."""
    unit_relevance: Sequence[float]
    """Sum, for each unit, of the share of the text's words in it or above it, and its cosine."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """Scores of passages for one text; a row for each passage."""

    passages: Sequence[MeasuredPassage]
    measures: ScoreArray
    """Shape (n, 3), in the order of `FUSION_WEIGHTS`, each column divided by its best."""
    window: ScoreArray
    """As in `MeasuredPassage`."""
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


def score_passages(query: ExecutedQuery, passages: Sequence[MeasuredPassage]) -> PassageScores:
    """Score passages for `query`, as they were measured for it."""
    lexical = {hit.chunk_id: hit.score for hit in query.lexical}
    found = [
        (lexical.get(passage.chunk_id, 0.0), passage.cosine, passage.window, passage.nearest) for passage in passages
    ]
    table = np.maximum(np.array(found, float).reshape(-1, 4), 0.0)
    best = table.max(axis=0, initial=0.0)
    scaled = table / np.where(best > 0, best, 1.0)
    held = np.logical_or.reduce([np.zeros(len(query.rarity), bool), *(passage.terms for passage in passages)])
    missing = frozenset(term for term, is_held in zip(query.rarity, held.tolist(), strict=True) if not is_held)
    share = sum(query.rarity[term] for term in missing) / (sum(query.rarity.values()) or 1.0)
    return PassageScores(
        passages, scaled[:, :3], table[:, 2], scaled[:, 3], missing, unmatched_share=share * query.is_english
    )


# --- Measuring ------------------------------------------------------------------------------------


class _Cosines(NamedTuple):
    """Cosines of passages that have vectors, by chunk; the rows of `units` are those of the vectors."""

    units: Vectors
    whole: Mapping[str, float]
    nearest: Mapping[str, float]


def measure_passages(
    query: ExecutedQuery, passages: Sequence[tuple[Chunk, Document]], vectors: UnitVectors
) -> list[MeasuredPassage]:
    """Measure `passages` (with their titles and headings) for `query`; without its vector only by words.

    The best two neighbouring units of a passage are its window: half coverage and half meaning, or `COSINE_WEIGHT`
    times meaning if that is more; coverage alone where no vectors are known. All units stand in one array, those of a
    passage after a row for its title, so that no window crosses."""
    if not passages:
        return []
    cosines = _compare(query, vectors)
    counts = np.array([len(chunk.units) + 1 for chunk, _ in passages])
    first = np.cumsum(counts) - counts
    titled, held = _locate_terms(query.rarity, passages, first)
    units: list[NDArray[np.float32]] = []
    meaning, has_vectors = np.zeros(len(held)), np.zeros(len(passages), bool)
    for number, ((chunk, _), begin) in enumerate(zip(passages, first.tolist(), strict=True)):
        rows = vectors.rows.get(chunk.id) if cosines else None
        own = _expand_units(cosines.units[rows], chunk) if cosines and rows else NO_COSINES
        units.append(own)
        if rows and len(own) == len(chunk.units):
            meaning[begin + 1 : begin + 1 + len(own)], has_vectors[number] = own, True
    weights = np.fromiter(query.rarity.values(), float) / (sum(query.rarity.values()) or 1.0)
    in_reach = np.repeat(titled, counts, axis=0) | held
    relevance = (in_reach @ weights + meaning).tolist()
    coverage = (in_reach | _shift_down(held, first)) @ weights
    meaning = np.maximum(meaning, _shift_down(meaning, first))
    both = np.maximum.reduceat(np.maximum((coverage + meaning) / 2, COSINE_WEIGHT * meaning), first)
    windows = np.where(has_vectors, both, np.maximum.reduceat(coverage, first)).tolist()
    terms = np.logical_or.reduceat(in_reach, first, axis=0)
    return [
        MeasuredPassage(
            chunk_id=chunk.id,
            cosine=cosines.whole.get(chunk.id, 0.0) if cosines else 0.0,
            nearest=cosines.nearest.get(chunk.id, 0.0) if cosines else 0.0,
            window=windows[number],
            terms=terms[number],
            units=units[number],
            unit_relevance=relevance[begin + 1 : begin + 1 + len(chunk.units)],
        )
        for number, ((chunk, _), begin) in enumerate(zip(passages, first.tolist(), strict=True))
    ]


def _compare(query: ExecutedQuery, vectors: UnitVectors) -> _Cosines | None:
    """Compare a query with all units, and with the mean of each passage's; None where either has no vectors."""
    if query.vector is None or not vectors.rows:
        return None
    calibration, question = query.calibration, query.calibration.center_question(query.vector)
    matrix = calibration.center_units(vectors.matrix)
    units = calibration.calibrate(matrix @ question)
    starts = [rows.start for rows in vectors.rows.values()]
    sums = np.add.reduceat(matrix, starts, axis=0)  # a product of matrices would wake OpenBLAS' threads, which spin
    whole = calibration.calibrate(sums @ question / np.maximum(np.sqrt(np.einsum("ij,ij->i", sums, sums)), 1e-9))
    nearest = np.maximum.reduceat(units, starts)
    return _Cosines(
        units,
        dict(zip(vectors.rows, whole.tolist(), strict=True)),
        dict(zip(vectors.rows, nearest.tolist(), strict=True)),
    )


def _locate_terms(
    rarity: Mapping[str, float], passages: Sequence[tuple[Chunk, Document]], first: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which terms stand in the title and headings of each passage, and which in each row of units; `first` are
    the rows of titles, which hold none."""
    size = int(first[-1]) + len(passages[-1][0].units) + 1
    texts: list[str] = []
    begins: list[int] = []
    rows: list[int] = []
    offset = 0
    for (chunk, document), row in zip(passages, first.tolist(), strict=True):
        header = " ".join((document.title, *chunk.heading, ""))
        start = offset + len(header)
        begins += (offset, start)
        rows += (row, size)  # before its first unit a text belongs to none
        begins += [start + unit.start for unit in chunk.units]
        rows += range(row + 1, row + 1 + len(chunk.units))
        texts.append(header + chunk.text)
        offset = start + len(chunk.text) + 1
    held = np.zeros((size + 1, len(rarity)), bool)
    if found := TermMatcher(rarity).find(*texts):
        starts, terms = np.array(found).T
        held[np.array(rows)[np.searchsorted(begins, starts, side="right") - 1], terms] = True
    titled = held[first]
    held[first] = False
    return titled, held[:size]


def _expand_units(cosines: NDArray[np.float32], chunk: Chunk) -> NDArray[np.float32]:
    """Return a cosine for each unit, also where one vector stands for all."""
    return np.repeat(cosines, len(chunk.units)) if chunk.together and len(cosines) == 1 else cosines


def _shift_down(rows: NDArray[Any], first: NDArray[np.intp]) -> NDArray[Any]:
    """Move every row down by one; zero in the `first` row of a passage."""
    later = np.zeros_like(rows)
    later[1:] = rows[:-1]
    later[first] = 0
    return later


class TermMatcher:
    """Finds terms, as `text.content_terms` makes them, in texts; they are numbered in their order."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = [(term, _prefix(term), term.isascii() or _is_spaced(term)) for term in terms]

    def find(self, *texts: str) -> list[tuple[int, int]]:
        """Return the start of each occurrence of each term in `texts`, joined by line ends, with the number of the
        term."""
        surface = "\n".join(map(_fold, texts))
        occurrences: list[tuple[int, int]] = []
        for number, (term, beginning, is_spaced) in enumerate(self._terms):
            start = surface.find(beginning)
            while start >= 0:
                end = start + 1
                if not is_spaced and surface.startswith(term, start):
                    end = start + len(term)
                    occurrences.append((start, number))
                elif not (start and surface[start - 1].isalnum()):
                    match = WORD.match(surface, start)
                    if match and term in word_terms(match.group()):
                        end = match.end()
                        occurrences.append((start, number))
                start = surface.find(beginning, end)
        return occurrences


def _fold(text: str) -> str:
    """Return `text` in lower case without accents, each letter in its place."""
    surface = text.lower()
    if surface.isascii():
        return surface
    if len(surface) != len(text):
        surface = "".join(letter.lower()[0] for letter in text)
    return NOT_ASCII.sub(lambda match: _without_marks(match[0]), surface)


@lru_cache(maxsize=4096)
def _without_marks(letter: str) -> str:
    plain = strip_accents(letter).replace("ς", "σ")
    return plain if len(plain) == 1 else letter


def _prefix(term: str) -> str:
    """Return the common prefix of all words with this stem: Porter stems may change the last letter (`happy`,
    `filing`)."""
    return term[:-1] if len(term) > 2 and term[-1] in "eiy" else term


def _is_spaced(term: str) -> bool:
    """Return whether the script of `term` puts spaces between words."""
    return len(content_terms(term * 2)) == 1
