"""Writing one answer: a model's sentences shown as they pass the check, the passages themselves where it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from pipeline import wording
from pipeline.compose import Draft
from pipeline.confidence import Assessment, assess
from pipeline.errors import CitewellError
from pipeline.manuscript import Manuscript, Stopwatch
from pipeline.ports import Writer
from pipeline.streams import closing
from pipeline.synthesize import NOT_IN_DOCUMENTS
from pipeline.values import (
    Brief,
    Finished,
    Level,
    Outcome,
    RetrievedChunk,
    Sentence,
    Turn,
    Usage,
    Value,
    Written,
)


class Limits(Value):
    """When to stop waiting for a model, and what an answer needs to be shown."""

    first_sentence_seconds: float = 10.0
    total_seconds: float = 30.0
    abstain: bool = True
    minimum_sources: int = 1
    minimum_citations: int = 1


class Drafting:
    """One use: iterate `sentences`, then ask for the `draft`."""

    def __init__(
        self,
        brief: Brief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        manuscript: Manuscript,
        limits: Limits,
        watch: Stopwatch,
    ) -> None:
        self._brief = brief
        self._passages = passages
        self._history = history
        self._manuscript = manuscript
        self._limits = limits
        self._watch = watch
        self._usage = Usage()
        self._failure = ""
        self._declined = False
        self._preface = ""
        self._assessment: Assessment | None = None

    async def model(self, writer: Writer) -> AsyncIterator[Written]:
        """Show what `writer` drafts, sentence by sentence; `wants_extract` says whether that came to nothing."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        async with closing(writer.write(self._brief, self._passages, self._history)) as draft:
            while True:
                seconds = (
                    self._limits.total_seconds if self._manuscript.sentences else self._limits.first_sentence_seconds
                )
                try:
                    with self._watch.stage("write"):
                        async with asyncio.timeout_at(started + seconds):
                            piece = await anext(draft)
                except (StopAsyncIteration, TimeoutError, CitewellError) as error:
                    self._failure = _why(error)
                    return
                if isinstance(piece, Finished):
                    self._usage = piece.usage
                    self._declined = piece.reason == NOT_IN_DOCUMENTS
                    self._failure = "" if piece.complete else piece.reason or "cut off"
                    return
                shown = self._manuscript.show(piece, self._manuscript.judge(piece))
                if shown:
                    yield Written(sentence=shown)

    @property
    def failure(self) -> str:
        """Why the model's draft is not the answer, for the log; empty when it is."""
        if self._failure:
            return self._failure
        return "" if self._manuscript.sentences or self._declined else "nothing it wrote is in the passages"

    @property
    def wants_extract(self) -> bool:
        """The model failed before anything was shown."""
        return bool(self.failure) and not self._manuscript.sentences

    async def extract(self, writer: Writer, *, always: bool, instead_of_model: bool) -> AsyncIterator[Written]:
        """Show the passages' own sentences where they answer; `always` shows the best ones even where they do not."""
        drafted: list[Sentence] = []
        self._manuscript.judged.clear()
        with self._watch.stage("write"):
            async for piece in writer.write(self._brief, self._passages, self._history):
                if isinstance(piece, Sentence):
                    drafted.append(piece)
        for sentence in drafted:
            self._manuscript.judge(sentence)
        assessment = self._assess()
        if instead_of_model:
            notes = (*self._usage.notes, f"model_failed: {self._failure or self.failure}")
            self._usage = self._usage.model_copy(update={"writer": "extractive", "notes": notes})
        if not always and (self._too_little() or (self._limits.abstain and assessment.abstain)):
            return
        self._preface = _preface(assessment.confidence.level, instead_of_model=instead_of_model)
        for number, (sentence, judgement) in enumerate(self._manuscript.supported):
            shown = self._manuscript.show(sentence, judgement)
            if shown:
                yield Written(sentence=shown, preface="" if number else self._preface)

    def draft(self) -> Draft:
        """What was gathered, with its outcome."""
        shown = tuple(self._manuscript.sentences)
        assessment = self._assessment or self._assess()
        sides = self._unanswered_sides() if shown else ()
        closing = ""
        if shown and self._failure and not self._preface:
            closing = wording.PARTIAL_CUT
        elif sides:
            closing = wording.unanswered_side(sides)
        outcome = (Outcome.PARTIAL if closing else Outcome.ANSWERED) if shown else Outcome.NOT_FOUND
        reason = "" if shown else assessment.abstain_reason or wording.NOT_FOUND
        return Draft(
            sentences=shown,
            claims=self._manuscript.claims,
            confidence=assessment.confidence,
            sufficient=assessment.sufficient and bool(shown),
            outcome=outcome,
            preface=self._preface,
            closing=closing,
            abstain_reason=reason,
            usage=self._usage,
        )

    def _assess(self) -> Assessment:
        with self._watch.stage("assess"):
            self._assessment = assess(
                self._brief.question, self._passages, self._manuscript.judged, generator=self._usage.writer
            )
        return self._assessment

    def _too_little(self) -> bool:
        cited = {chunk_id for _, judgement in self._manuscript.supported for chunk_id in judgement.chunk_ids}
        documents = {p.document.id for p in self._passages if p.chunk.id in cited}
        return not cited or len(cited) < self._limits.minimum_citations or len(documents) < self._limits.minimum_sources

    def _unanswered_sides(self) -> tuple[str, ...]:
        cited = {chunk_id for _, judgement in self._manuscript.supported for chunk_id in judgement.chunk_ids}
        found = {passage.query for passage in self._passages if passage.chunk.id in cited}
        return tuple(side for number, side in enumerate(self._brief.sides) if number not in found)


def _preface(level: Level, *, instead_of_model: bool) -> str:
    if instead_of_model:
        return wording.FALLBACK if level is Level.HIGH else wording.FALLBACK_CLOSEST
    return "" if level is Level.HIGH else wording.CLOSEST


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    return "it stopped without an end" if isinstance(error, StopAsyncIteration) else str(error)
