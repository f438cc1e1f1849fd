"""From what is kept to insights: questions that mean the same, put together, and what could be written so that a gap
closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import numpy as np
import structlog

from bot.documents.scales import Scales
from bot.insights.tally import OUTCOMES, Column, QuestionTable, Rows, tally
from pipeline.compose.compose import CAPTIONS
from pipeline.drafting.proposal import Drafter
from pipeline.errors import Unavailable
from pipeline.find.scale import AS_THEY_ARE, Scale
from pipeline.ports import Embedder, Vectors
from pipeline.rules.platforms import Platforms
from pipeline.values import Audience, Document, Hit, Outcome, RetrievedChunk, replace
from pipeline.values.insights import (
    Cited,
    Closest,
    Contradiction,
    Gap,
    Insights,
    Lack,
    Paper,
    PlaceCounts,
    Proposal,
    QuestionGroup,
    Week,
)
from pipeline.words.text import query_terms, terms
from storage.open import Storage

READ = 3
"""Passages that a draft is made from."""
LONG = 300
"""Characters of what comes closest."""


@dataclass(frozen=True)
class Proposals:
    """Made from what `audience` may see."""

    storage: Storage
    embedder: Embedder | None
    scales: Scales
    audience: Audience
    drafter: Drafter | None = None

    async def of(self, question: str, *, by_model: bool) -> Proposal:
        """For `question`; by a model only where one is set."""
        known, hits = await self._by_meaning(question)
        hits = hits or (await self.storage.index.lexical(query_terms(question), self.audience, READ)).hits
        found, vectors = await self.storage.library.read([hit.chunk_id for hit in hits])
        passages = [RetrievedChunk(chunk=chunk, document=document, score=0.0) for chunk, document in found]
        closest = None
        if passages:
            rows = vectors.rows.get(passages[0].chunk.id)
            own = vectors.matrix[rows] if rows is not None else None
            fits = known[1].compared(known[0], own).tolist() if known and own is not None else ()
            closest = _closest(passages[0], fits)
        drafted = await self.drafter.draft(question, passages) if by_model and self.drafter and passages else Proposal()
        return replace(drafted, closest=closest)

    async def _by_meaning(self, question: str) -> tuple[tuple[Vectors, Scale] | None, list[Hit]]:
        """Its vector and how it is compared, with what is nearest; nothing where that is not to be had."""
        if self.embedder is None:
            return None, []
        try:
            scale = await self.scales.now()
            vector = await self.embedder.embed_question(question)
            return (vector, scale), await self.storage.index.nearest(scale.question(vector), self.audience, READ)
        except Unavailable:
            return None, []


def _closest(passage: RetrievedChunk, fits: Sequence[float]) -> Closest:
    """The unit that fits best and is no caption, or the first words."""
    chunk, document = passage.chunk, passage.document
    says = [place for place, unit in enumerate(chunk.units) if unit.kind not in CAPTIONS]
    known = says and len(fits) == len(chunk.units)
    text = chunk.text_of(max(says, key=fits.__getitem__)) if known else chunk.text
    paper = Paper(id=document.id, title=document.title, collection=document.collection)
    return Closest(paper=paper, quote=" ".join(text.split())[:LONG])


SAME = 0.75
"""The least cosine with a group's first question, as in sentence-transformers' `community_detection`. Of pairs of
squad2 about one passage, this joins .71 of those with the same answer and .10 of those with different ones."""
COMPARED = 80
"""So many of the heaviest are compared by meaning; the rest by their words alone."""


def by_words(questions: Sequence[str], weights: Sequence[int]) -> list[list[int]]:
    """Positions of questions of the same words in whatever order, the heaviest group first."""
    groups: dict[frozenset[str], list[int]] = {}
    for position in sorted(range(len(questions)), key=lambda position: -weights[position]):
        words = frozenset(terms(questions[position])) or frozenset({questions[position]})
        groups.setdefault(words, []).append(position)
    return sorted(groups.values(), key=lambda group: -_weight(group, weights))


def by_meaning(groups: Sequence[list[int]], weights: Sequence[int], vectors: Vectors, scale: Scale) -> list[list[int]]:
    """The heaviest of `groups`, of whose first questions these are the vectors, compared on `scale`, joined where they
    mean the same; the others follow. Of each the most central question stands first."""
    compared = groups[: len(vectors)]
    joined = _joined(compared, scale.among(vectors), [_weight(group, weights) for group in compared])
    return sorted([*joined, *groups[len(vectors) :]], key=lambda group: -_weight(group, weights))


def _weight(group: Sequence[int], weights: Sequence[int]) -> int:
    return sum(weights[position] for position in group)


def _joined(groups: Sequence[list[int]], alike: Vectors, weights: Sequence[int]) -> list[list[int]]:
    """Each group with those of what follows that mean the same; `alike` has the cosines of all with all."""
    free = np.ones(len(groups), bool)
    joined = []
    for first in range(len(groups)):
        if free[first]:
            members = np.flatnonzero(free & (alike[first] >= SAME))
            free[members] = False
            held = np.asarray(weights)[members]
            order = np.argsort(-(alike[np.ix_(members, members)] @ held), kind="stable")
            joined.append([position for member in members[order] for position in groups[int(member)]])
    return joined


SHOWN = 10
"""Entries of each list but that of documents never cited."""
CONSIDERED = 1000
"""So many of the questions asked most are put into groups: what was asked once among 100,000 shows in no list."""
DRAFTED = 3
"""Gaps that a model drafts something for: as many as a digest names."""
OLD = timedelta(days=365)
_EPOCH = date(1969, 12, 29)

log = structlog.get_logger(__name__)


async def insights(
    storage: Storage,
    embedder: Embedder | None,
    platforms: Platforms,
    days: int,
    counts: Callable[[str], bool] = lambda _: True,
    *,
    audience: Audience | None = None,
    drafter: Drafter | None = None,
) -> Insights:
    """What was asked in the last `days` days, as far as it is kept, by the people who count. What could be written is
    drafted from what `audience` may see, all where there is none; for the first DRAFTED gaps by `drafter`, if there is
    one. Raises Unavailable."""
    now = datetime.now(UTC)
    found = await storage.asked.since(
        (now - timedelta(days=days)).timestamp(),
        [platform.name for platform in platforms if platform.threads_apart],
        lambda rows: tally((row for row in rows if counts(row.author)), platforms),
    )
    library = {document.id: document for document in await storage.library.documents()}
    everyone = np.ones(len(found.question), bool)
    asked, lacking = _alike(found, everyone), _alike(found, _lacking(found))
    scales = Scales(storage.database, embedder)
    audience = audience or Audience(collections=frozenset(await storage.library.collections()))
    proposals = Proposals(storage, embedder, scales, audience, drafter)
    meanings = await _meanings((*asked.compared(found), *lacking.compared(found)), embedder, scales)
    return Insights(
        since=(now - timedelta(days=days)).date(),
        until=now.date(),
        counts=found.counts(everyone),
        places=_places(found),
        weeks=_weeks(found),
        most_asked=tuple(_group(found, keys, everyone) for keys in _largest(found, asked, meanings)),
        gaps=tuple(
            await asyncio.gather(
                *(
                    _gap(found, keys, library, proposals, by_model=place < DRAFTED)
                    for place, keys in enumerate(_largest(found, lacking, meanings))
                )
            )
        ),
        contradictions=_contradictions(found, library),
        never_cited=tuple(_paper(document) for id_, document in library.items() if id_ not in found.cited),
        outdated=_outdated(found, library, (now - OLD).date().isoformat()),
    )


def _places(found: QuestionTable) -> tuple[PlaceCounts, ...]:
    places = [PlaceCounts(place=name, counts=found.counts(found.place == at)) for at, name in enumerate(found.places)]
    return tuple(sorted(places, key=lambda place: -place.counts.asked))


def _weeks(found: QuestionTable) -> tuple[Week, ...]:
    if not len(found.week):
        return ()
    weeks = range(int(found.week.min()), int(found.week.max()) + 1)
    return tuple(Week(monday=_EPOCH + timedelta(weeks=week), counts=found.counts(found.week == week)) for week in weeks)


def _lacking(found: QuestionTable) -> Rows:
    return ((_not_answered(found) | found.low) & ~found.answered_since()) | found.unhelpful


def _not_answered(found: QuestionTable) -> Rows:
    return np.equal(found.outcome, OUTCOMES.index(Outcome.NOT_FOUND))


class _Alike(NamedTuple):
    """Questions by their words."""

    numbers: Column
    weights: list[int]
    groups: list[list[int]]
    """Positions in both, the heaviest group first."""

    def compared(self, found: QuestionTable) -> list[str]:
        """The questions that are compared by meaning."""
        return [found.questions[self.numbers[group[0]]] for group in self.groups[:COMPARED]]


def _alike(found: QuestionTable, rows: Rows) -> _Alike:
    counts = np.bincount(found.question[rows], minlength=len(found.questions))
    most = np.argsort(-counts, kind="stable")[:CONSIDERED]
    most = most[counts[most] > 0]
    weights = counts[most].tolist()
    return _Alike(most.astype(np.int32), weights, by_words([found.questions[number] for number in most], weights))


class _Meanings(NamedTuple):
    vectors: Mapping[str, Vectors]
    """Of each question."""
    scale: Scale


async def _meanings(questions: Iterable[str], embedder: Embedder | None, scales: Scales) -> _Meanings:
    """Nothing without an embedder, or where it cannot be reached: words alone decide then."""
    texts = list(dict.fromkeys(questions))
    try:
        if embedder and texts:
            return _Meanings(dict(zip(texts, await embedder.embed(texts), strict=True)), await scales.now())
    except Unavailable as error:
        log.warning("grouped_by_words", reason=str(error))
    return _Meanings({}, AS_THEY_ARE)


def _largest(found: QuestionTable, alike: _Alike, meanings: _Meanings) -> list[Column]:
    """The numbers of the questions of each of the largest groups, the most central one first."""
    groups = alike.groups
    if meanings.vectors and groups:
        vectors = np.stack([meanings.vectors[question] for question in alike.compared(found)])
        groups = by_meaning(groups, alike.weights, vectors, meanings.scale)
    return [alike.numbers[group] for group in groups[:SHOWN]]


def _group(found: QuestionTable, keys: Column, rows: Rows) -> QuestionGroup:
    of = rows & np.isin(found.question, keys)
    people = len(np.unique(found.person[of]))
    return QuestionGroup(
        question=found.questions[keys[0]],
        count=int(of.sum()),
        people=people,
        private=people == 1 and bool(found.private[of].all()),
    )


async def _gap(
    found: QuestionTable,
    keys: Column,
    library: dict[str, Document],
    proposals: Proposals,
    *,
    by_model: bool,
) -> Gap:
    rows = _lacking(found)
    of = rows & np.isin(found.question, keys)
    group = _group(found, keys, rows)
    counts = {
        Lack.NOT_ANSWERED: int(_not_answered(found)[of].sum()),
        Lack.UNHELPFUL: int(found.unhelpful[of].sum()),
        Lack.LOW: int(found.low[of].sum()),
    }
    proposal = await proposals.of(group.question, by_model=by_model)
    return Gap(
        group=group,
        lack=max(counts, key=lambda lack: counts[lack]),
        not_answered=counts[Lack.NOT_ANSWERED],
        unhelpful=counts[Lack.UNHELPFUL],
        low=counts[Lack.LOW],
        waiting=int(found.waiting[of].sum()),
        nearest=_named(found, found.near[of], library) or (proposal.closest.paper if proposal.closest else None),
        proposal=proposal,
    )


def _named(found: QuestionTable, near: Column, library: dict[str, Document]) -> Paper | None:
    """The document that is nearest most often, of those that are still there."""
    numbers, counts = np.unique(near[near >= 0], return_counts=True)
    names = [found.documents[numbers[at]] for at in np.argsort(-counts, kind="stable")]
    return next((_paper(library[name]) for name in names if name in library), None)


def _contradictions(found: QuestionTable, library: dict[str, Document]) -> tuple[Contradiction, ...]:
    listed: list[Contradiction] = []
    for ids, count in found.differing.most_common():
        papers = _papers(ids, library)
        if len(papers) > 1 and len(listed) < SHOWN:
            row = found.over[ids]
            question = found.questions[found.question[row]]
            listed.append(
                Contradiction(papers=papers, count=count, question=question, private=bool(found.private[row]))
            )
    return tuple(listed)


def _outdated(found: QuestionTable, library: dict[str, Document], before: str) -> tuple[Cited, ...]:
    listed: list[Cited] = []
    for name, count in found.cited.most_common():
        document = library.get(name)
        changed = document.dated if document else ""
        if document and changed and changed < before and len(listed) < SHOWN:
            listed.append(Cited(paper=_paper(document), count=count, changed=changed))
    return tuple(listed)


def _papers(ids: Sequence[str], library: dict[str, Document]) -> tuple[Paper, ...]:
    return tuple(_paper(library[name]) for name in ids if name in library)


def _paper(document: Document) -> Paper:
    return Paper(id=document.id, title=document.title, collection=document.collection)
