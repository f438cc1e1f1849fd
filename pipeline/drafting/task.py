"""The task of drafting an answer: its question, its model, and its time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pipeline.budget import TokenBudget, TokenCounter
from pipeline.check.word_check import judge_sentence
from pipeline.compose.answer import CheckedSentence
from pipeline.compose.confidence import Assessment, assess_draft, assess_summary
from pipeline.drafting.turns import ModelTurns
from pipeline.evidence.gather import Evidence
from pipeline.ports import Planner, SearchFunction, Writer
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    AnswerLimits,
    DraftSentence,
    Intent,
    Judgement,
    RetrievedChunk,
    ShownExtent,
    Turn,
    WritingBrief,
    replace,
)
from pipeline.values.documents import exclude_known
from pipeline.words import wording
from pipeline.write.extractive import ExtractiveDraft

if TYPE_CHECKING:
    from pipeline.check.judge_prompt import PendingClaim
    from pipeline.drafting.proposal import ProposalDrafter


class ClaimJudge(Protocol):
    """A judge of sentences that words do not decide, by the passages they may rest on."""

    @property
    def name(self) -> str:
        """Name of the judging model: the writer's own model is less reliable as a judge."""
        ...

    async def review(
        self,
        claims: Sequence[PendingClaim],
        passages: Sequence[RetrievedChunk],
        *,
        question: str = "",
        history_text: str = "",
        seconds: float = math.inf,
    ) -> tuple[Sequence[Judgement], int]:
        """Return a judgement for each claim, and the tokens they cost; names in `history_text` count as known. No
        model is awaited longer than `seconds`, what the answer has left. Never raises."""
        ...


@dataclass(frozen=True)
class AnswerModel:
    """A language model's part in an answer. It is asked for nothing without tokens reserved from `budget`."""

    name: str
    writer: Writer
    budget: TokenBudget
    judge: ClaimJudge | None = None
    planner: Planner | None = None
    drafter: ProposalDrafter | None = None
    turns: ModelTurns | None = None
    """The queue for the model; None: nobody waits."""


class Stopwatch:
    """A stopwatch with milliseconds by stage; a stage entered twice adds up."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self._stages[name] = self._stages.get(name, 0.0) + (time.perf_counter() - started) * 1000

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def timings(self) -> dict[str, float]:
        """Return every stage so far and `total`, in milliseconds rounded to microseconds."""
        return {
            name: round(value, 3) for name, value in (*self._stages.items(), ("total", self.elapsed_seconds * 1000))
        }


@dataclass(frozen=True)
class DraftTask:
    """A question with its evidence and its limits, which count from the start of `stopwatch`."""

    brief: WritingBrief
    evidence: Evidence
    history: Sequence[Turn]
    limits: AnswerLimits
    grounded: bool = True
    """True to show supported sentences only; otherwise the others are shown as well, and marked."""
    always_show_extract: bool = False
    """True to show the best extract even where it does not answer."""
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    counter: TokenCounter = field(default_factory=TokenCounter)
    """Counts the tokens of a model's draft, whether it is read to its end or not."""
    translator: Translator = ENGLISH_TRANSLATOR
    extra_passages: Sequence[RetrievedChunk] = ()
    """Passages that a model may read besides the evidence."""
    model_passages: Sequence[RetrievedChunk] = ()
    """Passages that the model has read, or found, besides the evidence."""
    search: SearchFunction | None = None
    """Search function for queries in a model's own words."""
    is_summary: bool = False
    """True where the answer sums up all passages, whatever they are about."""
    prepared_extract: ExtractiveDraft | None = None
    """Extract of the evidence, where it was made before."""

    @property
    def citable_passages(self) -> Sequence[RetrievedChunk]:
        """All passages that a sentence may rest on."""
        return (*self.evidence.passages, *self.model_passages)

    @property
    def prompt_passages(self) -> Sequence[RetrievedChunk]:
        """Passages for a model's prompt, best first."""
        return (*self.evidence.passages, *self.extra_passages)

    def with_passages(self, passages: Sequence[RetrievedChunk]) -> DraftTask:
        """Return the task where a sentence may rest on `passages`, too."""
        return replace(self, model_passages=(*self.model_passages, *exclude_known(passages, self.citable_passages)))

    @property
    def question(self) -> str:
        """Question with the sides of its comparison."""
        return " ".join((self.brief.question, *self.brief.sides))

    @property
    def history_text(self) -> str:
        """Text of the conversation so far: the names in it count as known."""
        return "\n".join(f"{turn.question}\n{turn.said}" for turn in self.history)

    def cited_evidence(self, checked: Sequence[CheckedSentence]) -> Evidence:
        """Return the evidence, with the cited passages besides it."""
        cited = {
            chunk_id for piece in checked if piece.judgement.is_supported for chunk_id in piece.judgement.chunk_ids
        }
        return self.evidence.with_passages([passage for passage in self.model_passages if passage.chunk.id in cited])

    def judge_sentence(self, sentence: DraftSentence, header: Sequence[str] = ()) -> Judgement:
        """Judge a sentence by words alone; `header` stands above a table row."""
        with self.stopwatch.stage("validate"):
            return judge_sentence(
                sentence, self.citable_passages, question=self.question, header=header, history_text=self.history_text
            )

    def assess_draft(
        self, checked: Sequence[CheckedSentence], writer: str, extent: ShownExtent | None = None
    ) -> Assessment:
        """Assess the draft of `writer`, as a summary where the task is one."""
        with self.stopwatch.stage("assess"):
            if self.is_summary:
                return assess_summary(
                    [(piece.sentence, piece.judgement) for piece in checked],
                    generator=writer,
                    translator=self.translator,
                )
            return assess_draft(
                self.cited_evidence(checked),
                [(piece.sentence, piece.judgement) for piece in checked],
                generator=writer,
                several=bool(self.brief.sides),
                listing=self.brief.intent in (Intent.LIST, Intent.PROCEDURE),
                extent=extent,
                translator=self.translator,
            )

    def insufficient_sources(self, checked: Sequence[CheckedSentence]) -> str:
        """Return the reason why the supported sentences must not be shown; empty when they have as many sources as the
        operator requires."""
        cited = {
            chunk_id for piece in checked if piece.judgement.is_supported for chunk_id in piece.judgement.chunk_ids
        }
        documents = {passage.document.id for passage in self.citable_passages if passage.chunk.id in cited}
        if len(documents) < self.limits.minimum_sources:
            wanted = self.limits.minimum_sources
            return self.translator.pluralize(wording.TOO_FEW_DOCUMENTS, len(documents), wanted=wanted)
        if len(cited) < self.limits.minimum_citations:
            return self.translator.pluralize(wording.TOO_FEW_PASSAGES, len(cited), wanted=self.limits.minimum_citations)
        return ""
