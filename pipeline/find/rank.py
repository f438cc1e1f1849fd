"""The ranking of one query: its lexical and vector hits, read and scored.

A question asked in a thread is searched a second time together with the thread, and both rankings are added: where the
thread stays on its subject they agree, where it wanders the question prevails. A question that finds little by itself
leans on what was said before; one that the thread does not hold, nor what the thread finds, changes the subject.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline import ports
from pipeline.errors import CitewellError
from pipeline.find.calibration import NO_CALIBRATION, ScoreCalibration
from pipeline.find.candidates import CandidatePassages
from pipeline.find.fusion import NO_COSINES, ExecutedQuery, PassageScores, score_passages
from pipeline.values import Audience, Chunk, Document, SearchHit
from pipeline.words.language import may_be_english
from pipeline.words.text import content_terms, query_terms, stem, strip_accents

SEARCH_DEPTH = 15
"""Hits of each search, all of which are read: with 15 to 50 the same gold passages come first."""
THREAD, HELD = 1.5, 0.25
"""Weight of the thread. In the ranking a thread counts THREAD times a question that fits something wholly, and more
where it fits nothing well; in proportion less where less than HELD of the question stands in it, or in what both find
together. recall@1 of doc2dial is .727 (at 1 and 0 .710), of squad2's questions behind three turns about something else
.743 (.597)."""

T = TypeVar("T")


async def identity_calibration() -> ScoreCalibration:
    """Return the calibration of the embedder that thresholds are fitted with."""
    return NO_CALIBRATION


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that was read for a query."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, comparable between questions."""
    query_index: int
    unit_scores: NDArray[np.float32]
    """Empty without vectors."""
    unit_relevance: Sequence[float] = ()
    """Relevance of each unit for the query, by words and meaning."""
    relevance: float | None = None
    """Score as in `RetrievedChunk`."""
    confirmed: int = 0
    """Number of people who confirmed it for a similar question."""
    confirmation_boost: float = 0.0
    """Part of its score that comes from confirmations, its own or others'; all, where it would not be read
    otherwise."""


@dataclass(frozen=True)
class Ranking:
    """The passages of one query."""

    best: float
    """Best score; 0 where nothing was found."""
    missing: list[str]
    """Words of the query that none of its passages holds."""
    build: Callable[[], list[RankedPassage]]
    unmatched_share: float = 0.0
    """Share as in `PassageScores`."""

    @cached_property
    def passages(self) -> list[RankedPassage]:
        """All passages that were read, best first."""
        return self.build()


@dataclass(frozen=True)
class Ranker:
    """Ranks passages within an audience; `degraded` collects what did not work: `embedder`, `vector`, `lexical`,
    `confirmations`.

    `calibration` loads the calibration of the `embedder`. `reach` times SEARCH_DEPTH hits are requested of each search,
    and `depth` times as many of the vector search."""

    index: ports.Index
    passages: ports.ChunkReader
    embedder: ports.Embedder | None
    audience: Audience
    calibration: Callable[[], Awaitable[ScoreCalibration]] = identity_calibration
    degraded: set[str] = field(default_factory=set)
    vector_cache: dict[tuple[str, str], ports.Vectors] = field(default_factory=dict)
    """Vectors made for this search, by embedder and text."""
    lexical_cache: dict[tuple[str, int], ports.LexicalResult] = field(default_factory=dict)
    """Lexical results, by text and reach."""
    candidate_cache: dict[tuple[int, str], CandidatePassages] = field(default_factory=dict)
    """Passages read for this search, by query and embedder."""
    confirmation_cache: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """Confirmed passages, by text."""
    reach: int = 1
    depth: int = 1
    confirmations: ports.Confirmations | None = None

    async def rank(self, number: int, query: str, thread: str = "") -> Ranking:
        """Search for `query` (the plan's query `number`) and rank the passages."""
        name = self.embedder.name if self.embedder else ""
        texts = [query, f"{query}\n{thread}"] if thread else [query]
        queries = await asyncio.gather(*map(self.execute_query, texts)) if thread else [await self.execute_query(query)]
        confirmed = await self._load_confirmations(query, queries[0].vector)
        candidates = self.candidate_cache.setdefault((number, name), CandidatePassages(self.passages))
        passages = await candidates.read(
            [hit.chunk_id for found in queries for hit in (*found.lexical, *found.nearest)]
        )
        if self.embedder and self.embedder.name != name:  # vectors of two were compared
            self.candidate_cache.pop((number, name), None)
            return await self.rank(number, query, thread)
        scorings = [
            score_passages(found, candidates.measure(text, found, passages))
            for text, found in zip(texts, queries, strict=True)
        ]
        weights = [1.0, *(1 / (scorings[0].best or 1.0) for _ in scorings[1:])]
        subject = [
            1.0,
            *(
                THREAD * min(1.0, _thread_overlap(queries[0], thread, scorings[0], scoring) / HELD)
                for scoring in scorings[1:]
            ),
        ]
        parts = [
            share * weight * scoring.fused for share, weight, scoring in zip(subject, weights, scorings, strict=True)
        ]
        fused = np.sum(parts, axis=0)
        best = max(scorings[0].best, sum(scoring.best for scoring in scorings) / len(scorings))
        scores = fused * (best / max(float(fused.max(initial=0.0)), 1e-9))

        def build() -> list[RankedPassage]:
            return [
                RankedPassage(
                    chunk=chunk,
                    document=document,
                    score=float(scores[place]),
                    query_index=number,
                    unit_scores=_unit_scores(place, scorings, weights),
                    unit_relevance=_unit_relevance(place, scorings, weights),
                    confirmed=confirmed.get(chunk.id, 0),
                )
                for place in np.argsort(-scores, kind="stable").tolist()
                for chunk, document in [passages[place]]
            ]

        words = query_terms(query) if scorings[0].missing else []
        missing = [word for word in words if stem(strip_accents(word)) in scorings[0].missing]
        return Ranking(float(scores.max(initial=0.0)), missing, build, scorings[0].unmatched_share)

    async def similar(self, words: Sequence[str]) -> dict[str, list[str]]:
        """Return spelling suggestions for each of `words` that no document holds."""
        nothing: dict[str, list[str]] = {}
        return await self._attempt("lexical", self.index.suggest_words(words, self.audience), nothing)

    def widen(self, times: int) -> Ranker:
        """Return a ranker with `times` the reach."""
        return replace(self, reach=self.reach * times)

    def widen_vector(self, times: int) -> Ranker:
        """Return a ranker with `times` the reach of the vector search."""
        return replace(self, depth=self.depth * times)

    async def execute_query(self, text: str) -> ExecutedQuery:
        """Search for `text` by words and by meaning, both at once."""
        words = asyncio.ensure_future(self._search_words(text))
        try:
            vector, nearest, calibration = await self._search_meaning(text)
            rarity, lexical = await words
        finally:
            words.cancel()
        return ExecutedQuery(rarity, vector, lexical, nearest, calibration, is_english=may_be_english(text))

    async def _load_confirmations(self, text: str, question: ports.Vectors | None) -> Mapping[str, int]:
        if self.confirmations is None or question is None:
            return {}
        if text not in self.confirmation_cache:
            nothing: Mapping[str, int] = {}
            search = self.confirmations.find_similar(question, self.audience)
            self.confirmation_cache[text] = await self._attempt("confirmations", search, nothing)
        return self.confirmation_cache[text]

    async def _search_words(self, text: str) -> tuple[dict[str, float], Sequence[SearchHit]]:
        result = self.lexical_cache.get((text, self.reach))
        if result is None:
            terms = query_terms(text)
            nothing = ports.LexicalResult([], dict.fromkeys(terms, 1.0))
            search = self.index.search_lexical(terms, self.audience, self.reach * SEARCH_DEPTH)
            result = await self._attempt("lexical", search, nothing)
            if result is not nothing:
                self.lexical_cache[text, self.reach] = result
        return {stem(strip_accents(word)): weight for word, weight in result.rarity.items()}, result.hits

    async def _search_meaning(self, text: str) -> tuple[ports.Vectors | None, Sequence[SearchHit], ScoreCalibration]:
        nothing: list[SearchHit] = []
        if self.embedder is None:
            return None, nothing, NO_CALIBRATION
        vector = await self._embed_question(self.embedder, text)
        calibration: ScoreCalibration | None = await self._attempt("embedder", self.calibration(), None)
        if vector is None or calibration is None:
            return None, nothing, NO_CALIBRATION
        search = self.index.search_vector(
            calibration.center_question(vector), self.audience, self.reach * self.depth * SEARCH_DEPTH
        )
        return vector, await self._attempt("vector", search, nothing), calibration

    async def _embed_question(self, embedder: ports.Embedder, text: str) -> ports.Vectors | None:
        """Embed a text once a search, however deep that goes: an embedder may be a remote service."""
        name = embedder.name
        if (name, text) not in self.vector_cache:
            vector: ports.Vectors | None = await self._attempt("embedder", embedder.embed_question(text), None)
            if vector is None or embedder.name != name:
                return vector
            self.vector_cache[name, text] = vector
        return self.vector_cache[name, text]

    async def _attempt(self, stage: str, work: Awaitable[T], default: T) -> T:
        try:
            return await work
        except CitewellError:
            self.degraded.add(stage)
            return default


def _thread_overlap(query: ExecutedQuery, thread: str, alone: PassageScores, together: PassageScores) -> float:
    """Return how much of a question stands in its thread, or of what it finds alone in what it finds with the
    thread."""
    if not alone.best:
        return 1.0
    thread_terms, total = set(content_terms(thread)), sum(query.rarity.values()) or 1.0
    repeated = sum(rarity for term, rarity in query.rarity.items() if term in thread_terms) / total
    return max(repeated, float(alone.window[together.fused.argmax()]) / alone.best)


def _unit_relevance(place: int, scorings: Sequence[PassageScores], weights: Sequence[float]) -> Sequence[float]:
    """Return the relevance of each unit of the passage at `place`, for the question and its thread together."""
    relevance = [scoring.passages[place].unit_relevance for scoring in scorings]
    if len(relevance) == 1:
        return relevance[0]
    return [sum(map(operator.mul, weights, values)) for values in zip(*relevance, strict=True)]


def _unit_scores(place: int, scorings: Sequence[PassageScores], weights: Sequence[float]) -> NDArray[np.float32]:
    """Return the cosine of each unit of the passage at `place` with the question; in a thread its mean with that of the
    thread, where that is higher."""
    cosines = [scoring.passages[place].units for scoring in scorings]
    if len(cosines) == 1 or not all(map(len, cosines)):
        return cosines[0] if len(cosines) == 1 else NO_COSINES
    mean = sum(weight * units for weight, units in zip(weights, cosines, strict=True)) / sum(weights)
    return np.maximum(cosines[0], mean)
