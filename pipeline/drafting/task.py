"""What is to be answered, by which model, and how long that has taken."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.budget import TokenBudget
from pipeline.check.judge_prompt import PendingClaim
from pipeline.check.word_check import judge_sentence
from pipeline.compose.answer import CheckedSentence
from pipeline.compose.confidence import Assessment, assess_draft, assess_summary
from pipeline.drafting.proposal import ProposalDrafter
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


class ClaimJudge(Protocol):
    """Reads sentences and the passages they may rest on where words do not decide."""

    @property
    def name(self) -> str:
        """Of the model that reads: one that is the writer's is less of a witness."""
        ...

    async def review(
        self,
        claims: Sequence[PendingClaim],
        passages: Sequence[RetrievedChunk],
        *,
        question: str = "",
        history_text: str = "",
    ) -> tuple[Sequence[Judgement], int]:
        """A judgement for each, and the tokens they cost; names in what was `heard` are known. Never raises."""
        ...


@dataclass(frozen=True)
class AnswerModel:
    """A language model's part in an answer. It is asked for nothing that `budget` has set no tokens aside for."""

    name: str
    writer: Writer
    budget: TokenBudget
    judge: ClaimJudge | None = None
    planner: Planner | None = None
    drafter: ProposalDrafter | None = None


class Stopwatch:
    """Milliseconds by stage; a stage entered twice adds up."""

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
        """Seconds since it was started."""
        return time.perf_counter() - self._started

    def timings(self) -> dict[str, float]:
        """Every stage so far and `total`, rounded to microseconds."""
        return {
            name: round(value, 3) for name, value in (*self._stages.items(), ("total", self.elapsed_seconds * 1000))
        }


@dataclass(frozen=True)
class DraftTask:
    """What is to be answered, from what, and how long that may take; the limits count from when `watch` was started."""

    brief: WritingBrief
    evidence: Evidence
    history: Sequence[Turn]
    limits: AnswerLimits
    grounded: bool = True
    """Off: what the check does not support is shown as well, and marked."""
    always_show_extract: bool = False
    """Show the best extract even where it does not answer."""
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    words: Translator = ENGLISH_TRANSLATOR
    extra_passages: Sequence[RetrievedChunk] = ()
    """What a model may be given to read besides the evidence."""
    model_passages: Sequence[RetrievedChunk] = ()
    """What it was given, or found, besides the evidence."""
    search: SearchFunction | None = None
    """Searches again, in words of a model's own."""
    is_summary: bool = False
    """All that there is is told in short, whatever it is about."""
    prepared_extract: ExtractiveDraft | None = None
    """The extract of the evidence, where it was made before."""

    @property
    def citable_passages(self) -> Sequence[RetrievedChunk]:
        """All that a sentence may rest on."""
        return (*self.evidence.passages, *self.model_passages)

    @property
    def prompt_passages(self) -> Sequence[RetrievedChunk]:
        """What a model's prompt is filled from, best first."""
        return (*self.evidence.passages, *self.extra_passages)

    def with_passages(self, passages: Sequence[RetrievedChunk]) -> DraftTask:
        """The same where a sentence may rest on `passages`, too."""
        return replace(self, model_passages=(*self.model_passages, *exclude_known(passages, self.citable_passages)))

    @property
    def question(self) -> str:
        """All words that were asked with."""
        return " ".join((self.brief.question, *self.brief.sides))

    @property
    def history_text(self) -> str:
        """What was said before: the names in it are known."""
        return "\n".join(f"{turn.question}\n{turn.said}" for turn in self.history)

    def cited_evidence(self, checked: Sequence[CheckedSentence]) -> Evidence:
        """The evidence, with what is cited besides it."""
        cited = {chunk_id for one in checked if one.judgement.is_supported for chunk_id in one.judgement.chunk_ids}
        return self.evidence.with_passages([passage for passage in self.model_passages if passage.chunk.id in cited])

    def judge_sentence(self, sentence: DraftSentence, header: Sequence[str] = ()) -> Judgement:
        """What words alone decide of a sentence; `header` is what a table row stands under."""
        with self.stopwatch.stage("validate"):
            return judge_sentence(
                sentence, self.citable_passages, question=self.question, header=header, history_text=self.history_text
            )

    def assess_draft(
        self, checked: Sequence[CheckedSentence], writer: str, extent: ShownExtent | None = None
    ) -> Assessment:
        with self.stopwatch.stage("assess"):
            if self.is_summary:
                return assess_summary(
                    [(one.sentence, one.judgement) for one in checked], generator=writer, translator=self.words
                )
            return assess_draft(
                self.cited_evidence(checked),
                [(one.sentence, one.judgement) for one in checked],
                generator=writer,
                several=bool(self.brief.sides),
                listing=self.brief.intent in (Intent.LIST, Intent.PROCEDURE),
                extent=extent,
                translator=self.words,
            )

    def insufficient_sources(self, checked: Sequence[CheckedSentence]) -> str:
        """Why what is supported must not be shown; empty when it rests on as much as the operator asks for."""
        cited = {chunk_id for one in checked if one.judgement.is_supported for chunk_id in one.judgement.chunk_ids}
        documents = {passage.document.id for passage in self.citable_passages if passage.chunk.id in cited}
        if len(documents) < self.limits.minimum_sources:
            wanted = self.limits.minimum_sources
            return self.words.pluralize(wording.TOO_FEW_DOCUMENTS, len(documents), wanted=wanted)
        if len(cited) < self.limits.minimum_citations:
            return self.words.pluralize(wording.TOO_FEW_PASSAGES, len(cited), wanted=self.limits.minimum_citations)
        return ""
