"""Computes insights from the question log: groups of similar questions, and proposals that close gaps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import numpy as np
import structlog

from bot.documents.calibration import ScoreCalibrator
from bot.insights.question_table import OUTCOMES, IntColumn, QuestionTable, RowMask, count_questions
from pipeline.compose.answer import CAPTION_KINDS
from pipeline.drafting.proposal import ProposalDrafter
from pipeline.errors import Unavailable
from pipeline.find.calibration import NO_CALIBRATION, ScoreCalibration
from pipeline.ports import Embedder, Vectors
from pipeline.rules.platforms import PlatformRegistry
from pipeline.values import AnswerOutcome, Audience, Document, RetrievedChunk, SearchHit, replace
from pipeline.values.insights import (
    CitedDocument,
    ClosestPassage,
    Contradiction,
    DocumentationProposal,
    DocumentRef,
    GapKind,
    Insights,
    KnowledgeGap,
    PlaceCounts,
    QuestionGroup,
    WeekCounts,
)
from pipeline.words.text import content_terms, query_terms
from storage.open import Storage

DRAFT_PASSAGES = 3
"""Passages that a draft is made from."""
MAX_EXCERPT = 300
"""Characters of the closest passage."""


@dataclass(frozen=True)
class ProposalBuilder:
    """Proposals made from documents that `audience` may see."""

    storage: Storage
    embedder: Embedder | None
    calibrator: ScoreCalibrator
    audience: Audience
    drafter: ProposalDrafter | None = None

    async def propose(self, question: str, *, by_model: bool) -> DocumentationProposal:
        """Return a proposal for `question`; a model drafts it only if one is set."""
        known, hits = await self._by_meaning(question)
        hits = (
            hits or (await self.storage.index.search_lexical(query_terms(question), self.audience, DRAFT_PASSAGES)).hits
        )
        found, vectors = await self.storage.library.get_with_vectors([hit.chunk_id for hit in hits])
        passages = [RetrievedChunk(chunk=chunk, document=document, score=0.0) for chunk, document in found]
        closest = None
        if passages:
            rows = vectors.rows.get(passages[0].chunk.id)
            own = vectors.matrix[rows] if rows is not None else None
            fits = known[1].question_cosines(known[0], own).tolist() if known and own is not None else ()
            closest = _closest(passages[0], fits)
        drafted = (
            await self.drafter.draft(question, passages)
            if by_model and self.drafter and passages
            else DocumentationProposal()
        )
        return replace(drafted, closest=closest)

    async def _by_meaning(self, question: str) -> tuple[tuple[Vectors, ScoreCalibration] | None, list[SearchHit]]:
        """Return the question's vector, the calibration and the nearest hits; none of them if they are unavailable."""
        if self.embedder is None:
            return None, []
        try:
            scale = await self.calibrator.current()
            vector = await self.embedder.embed_question(question)
            return (vector, scale), await self.storage.index.search_vector(
                scale.center_question(vector), self.audience, DRAFT_PASSAGES
            )
        except Unavailable:
            return None, []


def _closest(passage: RetrievedChunk, fits: Sequence[float]) -> ClosestPassage:
    """Return the unit that fits best and is no caption, or the first words."""
    chunk, document = passage.chunk, passage.document
    says = [place for place, unit in enumerate(chunk.units) if unit.kind not in CAPTION_KINDS]
    known = says and len(fits) == len(chunk.units)
    text = chunk.text_at(max(says, key=fits.__getitem__)) if known else chunk.text
    paper = DocumentRef(id=document.id, title=document.title, collection=document.collection)
    return ClosestPassage(paper=paper, quote=" ".join(text.split())[:MAX_EXCERPT])


SAME_MEANING_COSINE = 0.75
"""The least cosine with a group's first question, as in sentence-transformers' `community_detection`.

Of pairs of squad2 about one passage, this joins .71 of those with the same answer and .10 of those with different ones.
"""
MAX_COMPARED_GROUPS = 80
"""The heaviest groups, compared by meaning; the rest are compared by their words alone."""


def group_by_words(questions: Sequence[str], weights: Sequence[int]) -> list[list[int]]:
    """Return positions of questions with the same words in any order, the heaviest group first."""
    groups: dict[frozenset[str], list[int]] = {}
    for position in sorted(range(len(questions)), key=lambda position: -weights[position]):
        words = frozenset(content_terms(questions[position])) or frozenset({questions[position]})
        groups.setdefault(words, []).append(position)
    return sorted(groups.values(), key=lambda group: -_weight(group, weights))


def group_by_meaning(
    groups: Sequence[list[int]], weights: Sequence[int], vectors: Vectors, scale: ScoreCalibration
) -> list[list[int]]:
    """Join the heaviest of `groups` that mean the same; the others follow.

    `vectors` are those of the groups' first questions, compared on `calibration`. The most central question of each
    group comes first.
    """
    compared = groups[: len(vectors)]
    joined = _joined(compared, scale.unit_cosines(vectors), [_weight(group, weights) for group in compared])
    return sorted([*joined, *groups[len(vectors) :]], key=lambda group: -_weight(group, weights))


def _weight(group: Sequence[int], weights: Sequence[int]) -> int:
    return sum(weights[position] for position in group)


def _joined(groups: Sequence[list[int]], alike: Vectors, weights: Sequence[int]) -> list[list[int]]:
    """Join each group with later ones that mean the same; `cosines` has the cosines of all with all."""
    free = np.ones(len(groups), bool)
    joined = []
    for first in range(len(groups)):
        if free[first]:
            members = np.flatnonzero(free & (alike[first] >= SAME_MEANING_COSINE))
            free[members] = False
            held = np.asarray(weights)[members]
            order = np.argsort(-(alike[np.ix_(members, members)] @ held), kind="stable")
            joined.append([position for member in members[order] for position in groups[int(member)]])
    return joined


MAX_LIST_ENTRIES = 10
"""Entries of each list except that of documents never cited."""
MAX_GROUPED_QUESTIONS = 1000
"""The most frequent questions, which are grouped: a question asked once among 100,000 appears in no list."""
MAX_DRAFTS = 3
"""Gaps for which a model drafts a proposal: as many as a digest names."""
STALE_AFTER = timedelta(days=365)
_EPOCH = date(1969, 12, 29)

log = structlog.get_logger(__name__)


async def compute_insights(
    storage: Storage,
    embedder: Embedder | None,
    platforms: PlatformRegistry,
    days: int,
    counts: Callable[[str], bool] = lambda _: True,
    *,
    audience: Audience | None = None,
    drafter: ProposalDrafter | None = None,
) -> Insights:
    """Return insights on the last `days` days, as far as they are stored, over the people who count.

    Proposals are made from documents that `audience` may see, all if it is None; `drafter` writes the first MAX_DRAFTS.
    Raises Unavailable.
    """
    now = datetime.now(UTC)
    found = await storage.question_log.fold_since(
        (now - timedelta(days=days)).timestamp(),
        [platform.name for platform in platforms if platform.has_detached_threads],
        lambda rows: count_questions((row for row in rows if counts(row.author)), platforms),
    )
    library = {document.id: document for document in await storage.library.list_documents()}
    everyone = np.ones(len(found.question), bool)
    asked, lacking = _alike(found, everyone), _alike(found, _lacking(found))
    scales = ScoreCalibrator(storage.database, embedder)
    audience = audience or Audience(collections=frozenset(await storage.library.list_collections()))
    proposals = ProposalBuilder(storage, embedder, scales, audience, drafter)
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
                    _gap(found, keys, library, proposals, by_model=place < MAX_DRAFTS)
                    for place, keys in enumerate(_largest(found, lacking, meanings))
                )
            )
        ),
        contradictions=_contradictions(found, library),
        never_cited=tuple(_paper(document) for id_, document in library.items() if id_ not in found.cited),
        outdated=_outdated(found, library, (now - STALE_AFTER).date().isoformat()),
    )


def _places(found: QuestionTable) -> tuple[PlaceCounts, ...]:
    places = [PlaceCounts(place=name, counts=found.counts(found.place == at)) for at, name in enumerate(found.places)]
    return tuple(sorted(places, key=lambda place: -place.counts.asked))


def _weeks(found: QuestionTable) -> tuple[WeekCounts, ...]:
    if not len(found.week):
        return ()
    weeks = range(int(found.week.min()), int(found.week.max()) + 1)
    return tuple(
        WeekCounts(monday=_EPOCH + timedelta(weeks=week), counts=found.counts(found.week == week)) for week in weeks
    )


def _lacking(found: QuestionTable) -> RowMask:
    return ((_not_answered(found) | found.low_confidence) & ~found.answered_since()) | found.unhelpful


def _not_answered(found: QuestionTable) -> RowMask:
    return np.equal(found.outcome, OUTCOMES.index(AnswerOutcome.NOT_FOUND))


class _Alike(NamedTuple):
    """Questions grouped by their words."""

    numbers: IntColumn
    weights: list[int]
    groups: list[list[int]]
    """Positions in both, the heaviest group first."""

    def compared(self, found: QuestionTable) -> list[str]:
        """Return the questions that are compared by meaning."""
        return [found.questions[self.numbers[group[0]]] for group in self.groups[:MAX_COMPARED_GROUPS]]


def _alike(found: QuestionTable, rows: RowMask) -> _Alike:
    counts = np.bincount(found.question[rows], minlength=len(found.questions))
    most = np.argsort(-counts, kind="stable")[:MAX_GROUPED_QUESTIONS]
    most = most[counts[most] > 0]
    weights = counts[most].tolist()
    return _Alike(most.astype(np.int32), weights, group_by_words([found.questions[number] for number in most], weights))


class _Meanings(NamedTuple):
    vectors: Mapping[str, Vectors]
    """Vectors by question."""
    scale: ScoreCalibration


async def _meanings(questions: Iterable[str], embedder: Embedder | None, scales: ScoreCalibrator) -> _Meanings:
    """Return vectors of the questions; none without an embedder, or when it is unavailable: words alone decide then."""
    texts = list(dict.fromkeys(questions))
    try:
        if embedder and texts:
            return _Meanings(dict(zip(texts, await embedder.embed(texts), strict=True)), await scales.current())
    except Unavailable as error:
        log.warning("grouped_by_words", reason=str(error))
    return _Meanings({}, NO_CALIBRATION)


def _largest(found: QuestionTable, alike: _Alike, meanings: _Meanings) -> list[IntColumn]:
    """Return the numbers of the questions of each of the largest groups, the most central one first."""
    groups = alike.groups
    if meanings.vectors and groups:
        vectors = np.stack([meanings.vectors[question] for question in alike.compared(found)])
        groups = group_by_meaning(groups, alike.weights, vectors, meanings.scale)
    return [alike.numbers[group] for group in groups[:MAX_LIST_ENTRIES]]


def _group(found: QuestionTable, keys: IntColumn, rows: RowMask) -> QuestionGroup:
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
    keys: IntColumn,
    library: dict[str, Document],
    proposals: ProposalBuilder,
    *,
    by_model: bool,
) -> KnowledgeGap:
    rows = _lacking(found)
    of = rows & np.isin(found.question, keys)
    group = _group(found, keys, rows)
    counts = {
        GapKind.NOT_ANSWERED: int(_not_answered(found)[of].sum()),
        GapKind.UNHELPFUL: int(found.unhelpful[of].sum()),
        GapKind.LOW: int(found.low_confidence[of].sum()),
    }
    proposal = await proposals.propose(group.question, by_model=by_model)
    return KnowledgeGap(
        group=group,
        lack=max(counts, key=lambda lack: counts[lack]),
        not_answered=counts[GapKind.NOT_ANSWERED],
        unhelpful=counts[GapKind.UNHELPFUL],
        low=counts[GapKind.LOW],
        waiting=int(found.waiting[of].sum()),
        nearest=_named(found, found.main_document[of], library)
        or (proposal.closest.paper if proposal.closest else None),
        proposal=proposal,
    )


def _named(found: QuestionTable, near: IntColumn, library: dict[str, Document]) -> DocumentRef | None:
    """Return the most frequent nearest document, of those that still exist."""
    numbers, counts = np.unique(near[near >= 0], return_counts=True)
    names = [found.documents[numbers[at]] for at in np.argsort(-counts, kind="stable")]
    return next((_paper(library[name]) for name in names if name in library), None)


def _contradictions(found: QuestionTable, library: dict[str, Document]) -> tuple[Contradiction, ...]:
    listed: list[Contradiction] = []
    for ids, count in found.disagreements.most_common():
        papers = _papers(ids, library)
        if len(papers) > 1 and len(listed) < MAX_LIST_ENTRIES:
            row = found.example_rows[ids]
            question = found.questions[found.question[row]]
            listed.append(
                Contradiction(papers=papers, count=count, question=question, private=bool(found.private[row]))
            )
    return tuple(listed)


def _outdated(found: QuestionTable, library: dict[str, Document], before: str) -> tuple[CitedDocument, ...]:
    listed: list[CitedDocument] = []
    for name, count in found.cited.most_common():
        document = library.get(name)
        changed = document.last_changed if document else ""
        if document and changed and changed < before and len(listed) < MAX_LIST_ENTRIES:
            listed.append(CitedDocument(paper=_paper(document), count=count, changed=changed))
    return tuple(listed)


def _papers(ids: Sequence[str], library: dict[str, Document]) -> tuple[DocumentRef, ...]:
    return tuple(_paper(library[name]) for name in ids if name in library)


def _paper(document: Document) -> DocumentRef:
    return DocumentRef(id=document.id, title=document.title, collection=document.collection)
