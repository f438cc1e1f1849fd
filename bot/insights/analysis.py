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
        comparison, hits = await self._by_meaning(question)
        hits = (
            hits or (await self.storage.index.search_lexical(query_terms(question), self.audience, DRAFT_PASSAGES)).hits
        )
        chunks, vectors = await self.storage.library.get_with_vectors([hit.chunk_id for hit in hits])
        passages = [RetrievedChunk(chunk=chunk, document=document, score=0.0) for chunk, document in chunks]
        closest = None
        if passages:
            rows = vectors.rows.get(passages[0].chunk.id)
            unit_vectors = vectors.matrix[rows] if rows is not None else None
            fits = (
                comparison[1].question_cosines(comparison[0], unit_vectors).tolist()
                if comparison and unit_vectors is not None
                else ()
            )
            closest = _closest_passage(passages[0], fits)
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


def _closest_passage(passage: RetrievedChunk, fits: Sequence[float]) -> ClosestPassage:
    """Return the unit that fits best and is no caption, or the first words."""
    chunk, document = passage.chunk, passage.document
    says = [place for place, unit in enumerate(chunk.units) if unit.kind not in CAPTION_KINDS]
    comparable = says and len(fits) == len(chunk.units)
    text = chunk.text_at(max(says, key=fits.__getitem__)) if comparable else chunk.text
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
    groups: Sequence[list[int]], weights: Sequence[int], vectors: Vectors, calibration: ScoreCalibration
) -> list[list[int]]:
    """Join the heaviest of `groups` that mean the same; the others follow.

    `vectors` are those of the groups' first questions, compared on `calibration`. The most central question of each
    group comes first.
    """
    compared = groups[: len(vectors)]
    joined = _join_groups(compared, calibration.unit_cosines(vectors), [_weight(group, weights) for group in compared])
    return sorted([*joined, *groups[len(vectors) :]], key=lambda group: -_weight(group, weights))


def _weight(group: Sequence[int], weights: Sequence[int]) -> int:
    return sum(weights[position] for position in group)


def _join_groups(groups: Sequence[list[int]], cosines: Vectors, weights: Sequence[int]) -> list[list[int]]:
    """Join each group with later ones that mean the same; `cosines` has the cosines of all with all."""
    free = np.ones(len(groups), bool)
    joined = []
    for first in range(len(groups)):
        if free[first]:
            members = np.flatnonzero(free & (cosines[first] >= SAME_MEANING_COSINE))
            free[members] = False
            member_weights = np.asarray(weights)[members]
            order = np.argsort(-(cosines[np.ix_(members, members)] @ member_weights), kind="stable")
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
    table = await storage.question_log.fold_since(
        (now - timedelta(days=days)).timestamp(),
        [platform.name for platform in platforms if platform.has_detached_threads],
        lambda rows: count_questions((row for row in rows if counts(row.author)), platforms),
    )
    library = {document.id: document for document in await storage.library.list_documents()}
    everyone = np.ones(len(table.question), bool)
    all_questions, unanswered = _group_questions(table, everyone), _group_questions(table, _mask_lacking(table))
    calibrator = ScoreCalibrator(storage.database, embedder)
    audience = audience or Audience(collections=frozenset(await storage.library.list_collections()))
    proposals = ProposalBuilder(storage, embedder, calibrator, audience, drafter)
    meanings = await _meanings((*all_questions.compared(table), *unanswered.compared(table)), embedder, calibrator)
    return Insights(
        since=(now - timedelta(days=days)).date(),
        until=now.date(),
        counts=table.counts(everyone),
        places=_places(table),
        weeks=_weeks(table),
        most_asked=tuple(
            _make_group(table, keys, everyone) for keys in _largest_groups(table, all_questions, meanings)
        ),
        gaps=tuple(
            await asyncio.gather(
                *(
                    _make_gap(table, keys, library, proposals, by_model=place < MAX_DRAFTS)
                    for place, keys in enumerate(_largest_groups(table, unanswered, meanings))
                )
            )
        ),
        contradictions=_contradictions(table, library),
        never_cited=tuple(_document_ref(document) for id_, document in library.items() if id_ not in table.cited),
        outdated=_outdated(table, library, (now - STALE_AFTER).date().isoformat()),
    )


def _places(table: QuestionTable) -> tuple[PlaceCounts, ...]:
    places = [PlaceCounts(place=name, counts=table.counts(table.place == at)) for at, name in enumerate(table.places)]
    return tuple(sorted(places, key=lambda place: -place.counts.asked))


def _weeks(table: QuestionTable) -> tuple[WeekCounts, ...]:
    if not len(table.week):
        return ()
    weeks = range(int(table.week.min()), int(table.week.max()) + 1)
    return tuple(
        WeekCounts(monday=_EPOCH + timedelta(weeks=week), counts=table.counts(table.week == week)) for week in weeks
    )


def _mask_lacking(table: QuestionTable) -> RowMask:
    return ((_mask_not_found(table) | table.low_confidence) & ~table.answered_since()) | table.unhelpful


def _mask_not_found(table: QuestionTable) -> RowMask:
    return np.equal(table.outcome, OUTCOMES.index(AnswerOutcome.NOT_FOUND))


class _GroupedQuestions(NamedTuple):
    """Questions grouped by their words."""

    numbers: IntColumn
    weights: list[int]
    groups: list[list[int]]
    """Positions in both, the heaviest group first."""

    def compared(self, table: QuestionTable) -> list[str]:
        """Return the questions that are compared by meaning."""
        return [table.questions[self.numbers[group[0]]] for group in self.groups[:MAX_COMPARED_GROUPS]]


def _group_questions(table: QuestionTable, rows: RowMask) -> _GroupedQuestions:
    counts = np.bincount(table.question[rows], minlength=len(table.questions))
    top = np.argsort(-counts, kind="stable")[:MAX_GROUPED_QUESTIONS]
    top = top[counts[top] > 0]
    weights = counts[top].tolist()
    return _GroupedQuestions(
        top.astype(np.int32), weights, group_by_words([table.questions[number] for number in top], weights)
    )


class _Meanings(NamedTuple):
    vectors: Mapping[str, Vectors]
    """Vectors by question."""
    scale: ScoreCalibration


async def _meanings(questions: Iterable[str], embedder: Embedder | None, calibrator: ScoreCalibrator) -> _Meanings:
    """Return vectors of the questions; none without an embedder, or when it is unavailable: words alone decide then."""
    texts = list(dict.fromkeys(questions))
    try:
        if embedder and texts:
            return _Meanings(dict(zip(texts, await embedder.embed(texts), strict=True)), await calibrator.current())
    except Unavailable as error:
        log.warning("questions_grouped_by_words", reason=str(error))
    return _Meanings({}, NO_CALIBRATION)


def _largest_groups(table: QuestionTable, grouped: _GroupedQuestions, meanings: _Meanings) -> list[IntColumn]:
    """Return the numbers of the questions of each of the largest groups, the most central one first."""
    groups = grouped.groups
    if meanings.vectors and groups:
        vectors = np.stack([meanings.vectors[question] for question in grouped.compared(table)])
        groups = group_by_meaning(groups, grouped.weights, vectors, meanings.scale)
    return [grouped.numbers[group] for group in groups[:MAX_LIST_ENTRIES]]


def _make_group(table: QuestionTable, keys: IntColumn, rows: RowMask) -> QuestionGroup:
    selected = rows & np.isin(table.question, keys)
    people = len(np.unique(table.person[selected]))
    return QuestionGroup(
        question=table.questions[keys[0]],
        count=int(selected.sum()),
        people=people,
        private=people == 1 and bool(table.private[selected].all()),
    )


async def _make_gap(
    table: QuestionTable,
    keys: IntColumn,
    library: dict[str, Document],
    proposals: ProposalBuilder,
    *,
    by_model: bool,
) -> KnowledgeGap:
    rows = _mask_lacking(table)
    selected = rows & np.isin(table.question, keys)
    group = _make_group(table, keys, rows)
    counts = {
        GapKind.NOT_ANSWERED: int(_mask_not_found(table)[selected].sum()),
        GapKind.UNHELPFUL: int(table.unhelpful[selected].sum()),
        GapKind.LOW: int(table.low_confidence[selected].sum()),
    }
    proposal = await proposals.propose(group.question, by_model=by_model)
    return KnowledgeGap(
        group=group,
        lack=max(counts, key=lambda lack: counts[lack]),
        not_answered=counts[GapKind.NOT_ANSWERED],
        unhelpful=counts[GapKind.UNHELPFUL],
        low=counts[GapKind.LOW],
        waiting=int(table.waiting[selected].sum()),
        nearest=_most_frequent_document(table, table.main_document[selected], library)
        or (proposal.closest.paper if proposal.closest else None),
        proposal=proposal,
    )


def _most_frequent_document(
    table: QuestionTable, nearest: IntColumn, library: dict[str, Document]
) -> DocumentRef | None:
    """Return the most frequent nearest document, of those that still exist."""
    numbers, counts = np.unique(nearest[nearest >= 0], return_counts=True)
    names = [table.documents[numbers[at]] for at in np.argsort(-counts, kind="stable")]
    return next((_document_ref(library[name]) for name in names if name in library), None)


def _contradictions(table: QuestionTable, library: dict[str, Document]) -> tuple[Contradiction, ...]:
    listed: list[Contradiction] = []
    for ids, count in table.disagreements.most_common():
        papers = _document_refs(ids, library)
        if len(papers) > 1 and len(listed) < MAX_LIST_ENTRIES:
            row = table.example_rows[ids]
            question = table.questions[table.question[row]]
            listed.append(
                Contradiction(papers=papers, count=count, question=question, private=bool(table.private[row]))
            )
    return tuple(listed)


def _outdated(table: QuestionTable, library: dict[str, Document], before: str) -> tuple[CitedDocument, ...]:
    listed: list[CitedDocument] = []
    for name, count in table.cited.most_common():
        document = library.get(name)
        changed = document.last_changed if document else ""
        if document and changed and changed < before and len(listed) < MAX_LIST_ENTRIES:
            listed.append(CitedDocument(paper=_document_ref(document), count=count, changed=changed))
    return tuple(listed)


def _document_refs(ids: Sequence[str], library: dict[str, Document]) -> tuple[DocumentRef, ...]:
    return tuple(_document_ref(library[name]) for name in ids if name in library)


def _document_ref(document: Document) -> DocumentRef:
    return DocumentRef(id=document.id, title=document.title, collection=document.collection)
