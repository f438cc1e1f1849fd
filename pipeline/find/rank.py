"""One query: its hits by words and by meaning, read and ranked.

A question asked in a thread is searched a second time together with the thread, and both rankings are added: where
the thread stays on its subject they agree, where it wanders the question prevails. A complete question that has no
word in common with the thread, and finds one document far before all others, changes the subject: the thread is left
out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline import ports
from pipeline.errors import CitewellError
from pipeline.find.fuse import Candidates, Fit, Numbers, candidates, fit
from pipeline.text import fold, query_terms, stem, terms
from pipeline.values import Audience, Chunk, Document, Hit

DEPTH = 50
"""Hits asked of each side."""
READ = 30
"""Candidates whose text is read: of squad2's gold passages 99.8 % are among them."""
RAREST = 24
"""Words searched for, the rarest of a long question or thread."""
THREAD = 1.5
THREAD_COSINE = 0.7
"""A thread counts THREAD times its question where the question's best unit has this cosine, more below it and less
above, in proportion: a question that finds little by itself leans on what was said before."""
CLEAR, WELL = 0.2, 0.5
"""How much better than the next the best document must fit a question alone, and how well: of the follow-ups of
doc2dial and MTRAG that have no word in common with their thread, none of these finds less without it."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage that was read for a query."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, comparable between questions."""
    query: int
    ranks: dict[str, int]
    unit_scores: NDArray[np.float32]
    """Empty without vectors."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A text that was searched for: what is known of its words, and what each side found."""

    rarity: Mapping[str, float]
    """Of each stem that was searched for."""
    vector: ports.Vectors | None
    lexical: Sequence[Hit] = ()
    near: Sequence[Hit] = ()


@dataclass(frozen=True)
class Ranker:
    """Ranks within an audience; `degraded` collects what did not work: `embedder`, `vector`, `lexical`.

    `reach` times DEPTH hits are asked for, and `reach` times READ candidates read."""

    index: ports.Index
    passages: ports.Passages
    embedder: ports.Embedder | None
    audience: Audience
    degraded: set[str] = field(default_factory=set)
    reach: int = 1

    async def rank(self, number: int, query: str, thread: str = "", *, complete: bool = False) -> list[Ranked]:
        """All that was read for `query` (the plan's query `number`), best first. `complete`: it is the question as it
        is understood, and may change the subject."""
        asked = await asyncio.gather(*map(self.asked, [query, f"{query}\n{thread}"] if thread else [query]))
        measured = await self.measured(asked)
        weights = [1.0, *(_weight(measured[0]) for _ in measured[1:])]
        passages = await self.read(measured, weights)
        fits = [fit(found, passages, one.rarity) for found, one in zip(measured, asked, strict=True)]
        apart = complete and thread and asked[0].rarity.keys().isdisjoint(terms(thread))
        if apart and _is_clear(fits[0], passages):
            fits, measured, weights = fits[:1], measured[:1], weights[:1]
        scores = _scores(fits, weights)
        return [
            Ranked(
                chunk=passages[place][0],
                document=passages[place][1],
                score=float(scores[place]),
                query=number,
                ranks=measured[0].ranks.get(passages[place][0].id, {}),
                unit_scores=_unit_scores(passages[place][0].id, measured, weights),
            )
            for place in np.argsort(-scores, kind="stable")
        ]

    async def asked(self, text: str) -> Asked:
        """Search for `text`: its words and its meaning, each side without waiting for the other."""
        (vector, near), (rarity, lexical) = await asyncio.gather(self._by_meaning(text), self._by_words(text))
        return Asked(rarity, vector, lexical, near)

    async def measured(self, asked: Sequence[Asked]) -> list[Candidates]:
        """The hits of all of `asked` together, measured against each."""
        ids = list(dict.fromkeys(hit.chunk_id for one in asked for hit in (*one.lexical, *one.near)))
        vectors: ports.UnitVectors | None = None
        if ids and any(one.vector is not None for one in asked):
            vectors = await self._attempt("vector", self.index.unit_vectors(ids), None)
        return [candidates(ids, one.lexical, one.near, vectors, one.vector) for one in asked]

    async def read(
        self, measured: Sequence[Candidates], weights: Sequence[float] = (1.0,)
    ) -> list[tuple[Chunk, Document]]:
        """The candidates that promise most."""
        first = sum(weight * one.first_ranking() for weight, one in zip(weights, measured, strict=True))
        return await self.passages.chunks(
            [measured[0].ids[place] for place in np.argsort(-first, kind="stable")[: self.reach * READ]]
        )

    async def _by_words(self, text: str) -> tuple[dict[str, float], Sequence[Hit]]:
        wanted = query_terms(text)
        rarity = await self._attempt("lexical", self.index.rarity(wanted), dict.fromkeys(wanted, 1.0))
        rarest = set(sorted(wanted, key=lambda word: -rarity[word])[:RAREST])
        kept = [word for word in wanted if word in rarest]
        nothing: list[Hit] = []
        hits = await self._attempt("lexical", self.index.lexical(kept, self.audience, self.reach * DEPTH), nothing)
        return {stem(fold(word)): rarity[word] for word in kept}, hits

    async def _by_meaning(self, text: str) -> tuple[ports.Vectors | None, Sequence[Hit]]:
        nothing: list[Hit] = []
        if self.embedder is None:
            return None, nothing
        found: ports.Vectors | None = await self._attempt("embedder", self.embedder.embed([text]), None)
        if found is None:
            return None, nothing
        near = self.index.nearest(found[0], self.audience, self.reach * DEPTH)
        return found[0], await self._attempt("vector", near, nothing)

    async def _attempt(self, what: str, work: Awaitable[T], otherwise: T) -> T:
        try:
            return await work
        except CitewellError:
            self.degraded.add(what)
            return otherwise


def _weight(question: Candidates) -> float:
    """How much the thread counts beside its question."""
    best = float(question.best_unit.max(initial=0.0))
    return THREAD * THREAD_COSINE / max(best, 0.3) if best else THREAD


def _is_clear(question: Fit, passages: Sequence[tuple[Chunk, Document]]) -> bool:
    """Whether one document of several fits the question WELL, and CLEAR better than the others."""
    best: dict[str, float] = {}
    for window, (_, document) in zip(question.window.tolist(), passages, strict=True):
        best[document.id] = max(best.get(document.id, 0.0), window)
    first, *others = sorted(best.values(), reverse=True) or [0.0]
    return bool(others) and first >= WELL and first - others[0] >= CLEAR


def _scores(fits: Sequence[Fit], weights: Sequence[float]) -> Numbers:
    """The fused ranking, scaled so that the best passage has the score of the best window.

    In a thread that is at least the mean of the windows with and without the thread."""
    fused: Numbers = np.stack([weight * one.fused for weight, one in zip(weights, fits, strict=True)]).sum(axis=0)
    windows = [float(one.window.max(initial=0.0)) for one in fits]
    score = max(windows[0], sum(windows) / len(windows))
    return fused * (score / max(float(fused.max(initial=0.0)), 1e-9))


def _unit_scores(chunk_id: str, measured: Sequence[Candidates], weights: Sequence[float]) -> NDArray[np.float32]:
    """Cosine of each unit with the question; in a thread its mean with that of the thread, where that is higher."""
    known = [one.units[chunk_id] for one in measured if chunk_id in one.units]
    if len(known) < len(measured):
        return np.zeros(0, np.float32)
    if len(known) == 1:
        return known[0]
    mean = sum(weight * units for weight, units in zip(weights, known, strict=True)) / sum(weights)
    return np.maximum(known[0], mean)
