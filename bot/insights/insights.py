"""From what is kept to insights."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import numpy as np
import structlog

from bot.documents.scales import Scales
from bot.insights.groups import COMPARED, by_meaning, by_words
from bot.insights.proposals import Proposals
from bot.insights.tally import OUTCOMES, Column, QuestionTable, Rows, tally
from pipeline.drafting.proposal import Drafter
from pipeline.errors import Unavailable
from pipeline.find.scale import AS_THEY_ARE, Scale
from pipeline.ports import Embedder, Vectors
from pipeline.rules.platforms import Platforms
from pipeline.values import Audience, Document, Outcome
from pipeline.values.insights import Cited, Contradiction, Gap, Insights, Lack, Paper, PlaceCounts, QuestionGroup, Week
from storage.open import Storage

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
