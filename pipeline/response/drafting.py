"""Writing one answer: a model's sentences shown as they pass the check, the passages themselves where it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence

from pipeline import wording
from pipeline.compose.compose import Draft
from pipeline.compose.confidence import Assessment, assess, hopeless
from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Writer
from pipeline.response.manuscript import Manuscript, Stopwatch
from pipeline.response.pen import Pen
from pipeline.response.request import Limits
from pipeline.streams import closing
from pipeline.text import terms
from pipeline.values import (
    BlockKind,
    Brief,
    CitedSentence,
    Confidence,
    Finished,
    Judgement,
    Level,
    Outcome,
    RetrievedChunk,
    Sentence,
    Support,
    Turn,
    Usage,
    Written,
)
from pipeline.write.synthesize import NOT_IN_DOCUMENTS

TOO_SHORT = 20
"""Characters below which a model's draft is no answer, unless it is a fact that a passage supports."""
ABOUT_PASSAGES = ("answers", "relevance", "terms")
"""The parts of a confidence that are about what was found, not about what was written."""


class Drafting:
    """One use: iterate `model`, or `extract`, or one after the other; then ask for the `draft`."""

    def __init__(
        self,
        brief: Brief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        manuscript: Manuscript,
        limits: Limits,
        watch: Stopwatch,
    ) -> None:
        """The limits count from when `watch` was started: from the question on."""
        self._brief = brief
        self._passages = passages
        self._history = history
        self._manuscript = manuscript
        self._limits = limits
        self._watch = watch
        self._reviews = 0
        self._usage = Usage()
        self._failure = ""
        self._declined = False
        self._missing: tuple[str, ...] = ()
        self._review_tokens = 0
        self._flags: tuple[str, ...] = ()
        self._held: list[tuple[Sentence, Judgement]] = []
        self.tokens: int | None = 0
        """What the model used; None when it did not come to saying so."""
        self._preface = ""
        self._assessment: Assessment | None = None

    def forgo(self) -> None:
        """Nothing is left of the day's tokens: the model is not asked."""
        self._failure = "the tokens of the day are spent"

    @property
    def hopeless(self) -> bool:
        """The passages cannot answer: a model need not read them."""
        short = len(self._passages) < self._limits.minimum_citations or (
            len({passage.document.id for passage in self._passages}) < self._limits.minimum_sources
        )
        return self._limits.abstain and (short or hopeless(self._brief.question, self._passages))

    async def model(self, pen: Pen) -> AsyncIterator[Written]:
        """Show what the model drafts, sentence by sentence; `wants_extract` says whether that came to nothing."""
        self._usage = Usage(writer=pen.name)
        self.tokens = None
        async with closing(self._stream(pen)) as sentences:
            async for written in sentences:
                yield written

    async def _stream(self, pen: Pen) -> AsyncIterator[Written]:
        async with closing(pen.writer.write(self._brief, self._passages, self._history)) as draft:
            while True:
                shown = bool(self._manuscript.sentences)
                seconds = self._limits.total_seconds if shown else self._limits.first_sentence_seconds
                try:
                    async with asyncio.timeout(seconds - self._watch.elapsed):
                        with self._watch.stage("write"):
                            piece = await anext(draft)
                        judgement = await self._judge(piece, pen) if isinstance(piece, Sentence) else None
                except (StopAsyncIteration, TimeoutError, CitewellError) as error:
                    self._failure = _why(error)
                    if isinstance(error, Unavailable) and not self._manuscript.judged:
                        self.tokens = 0
                    return
                if isinstance(piece, Finished):
                    self._end(piece)
                    return
                if judgement:
                    self._held.append((piece, judgement))
                    for cited in self._shown():
                        yield Written(sentence=cited)

    def _shown(self) -> Iterator[CitedSentence]:
        """What is held back, once the draft cites enough."""
        if self._too_little():
            return
        held, self._held = self._held, []
        for sentence, judgement in held:
            if cited := self._manuscript.show(sentence, judgement):
                yield cited

    async def _judge(self, sentence: Sentence, pen: Pen) -> Judgement:
        """What words decide; a judging model reads the rest."""
        judgement = self._manuscript.judge(sentence)
        if judgement.support is not Support.UNSURE or pen.judge is None or self._reviews == pen.reviews:
            return judgement
        self._reviews += 1
        self._manuscript.judged.pop()
        with self._watch.stage("review"):
            judgement, tokens = await pen.judge.review(
                sentence,
                self._passages,
                question=self._brief.question,
                header=self._manuscript.header(sentence),
            )
        self._review_tokens += tokens
        self._manuscript.judged.append((sentence, judgement))
        return judgement

    def _end(self, finished: Finished) -> None:
        used = finished.usage
        self._usage = used.model_copy(update={"input_tokens": used.input_tokens + self._review_tokens})
        self.tokens = self._usage.input_tokens + self._usage.output_tokens
        self._declined = finished.reason == NOT_IN_DOCUMENTS
        self._missing = finished.missing
        self._failure = "" if finished.complete else finished.reason or "cut off"
        length = sum(len(sentence.text) for sentence, _ in self._manuscript.judged)
        if finished.complete and not self._declined and length < TOO_SHORT and not self._manuscript.supported:
            self._flags, self._failure = ("answer_too_short",), "its answer is too short"

    @property
    def failure(self) -> str:
        """Why the model's draft is not the answer, for the log; empty when it is."""
        if self._failure:
            return self._failure
        if self._manuscript.sentences or self._declined:
            return ""
        return (
            "it cites too little"
            if self._held and self._manuscript.supported
            else "nothing it wrote is in the passages"
        )

    @property
    def wants_extract(self) -> bool:
        """The model failed before anything was shown."""
        return bool(self.failure) and not self._manuscript.sentences

    async def extract(self, writer: Writer, *, always: bool, instead_of_model: bool) -> AsyncIterator[Written]:
        """Show the passages' own sentences where they answer; `always` shows the best ones even where they do not."""
        if instead_of_model:
            notes = (*self._usage.notes, f"model_failed: {self.failure}")
            self._usage = self._usage.model_copy(update={"writer": "extractive", "notes": notes})
        self._manuscript.judged.clear()
        with self._watch.stage("write"):
            written = writer.write(self._brief, self._passages, self._history)
            drafted = [piece async for piece in written if isinstance(piece, Sentence)]
        for sentence in drafted:
            self._manuscript.judge(sentence)
        assessment = self._assess()
        if self._contradicted(assessment.differing):
            assessment = self._assess()
        if not always and (self._too_little() or (self._limits.abstain and assessment.abstain)):
            return
        cited = {judgement.chunk_ids[0] for _, judgement in self._manuscript.supported}
        said = {sentence.text for sentence, _ in self._manuscript.supported}
        self._preface = wording.preface(
            assessment.confidence.level,
            passages=len(cited),
            differing=bool(assessment.differing) and said.issuperset(one.text for one in assessment.differing),
            instead_of_model=instead_of_model,
        )
        for number, (sentence, judgement) in enumerate(self._manuscript.supported):
            shown = self._manuscript.show(sentence, judgement)
            if shown:
                yield Written(sentence=shown, preface="" if number else self._preface)

    def _contradicted(self, differing: Sequence[Sentence]) -> bool:
        """Take in the one of two sentences that do not agree that was not chosen; False when there is none."""
        said = {sentence.text for sentence, _ in self._manuscript.supported}
        missing = [sentence for sentence in differing if sentence.text not in said]
        if len(missing) != 1:
            return False
        self._manuscript.judge(missing[0])
        return True

    def draft(self) -> Draft:
        """What was gathered, with its outcome."""
        shown = tuple(self._manuscript.sentences)
        assessment = self._assessment or self._assess()
        sides = (self._missing or self._unanswered_sides()) if shown else ()
        closing = ""
        if shown and self._failure and not self._preface:
            closing = wording.PARTIAL_CUT
        elif sides:
            closing = wording.unanswered_side(sides)
        elif shown and assessment.more_rows:
            closing = wording.MORE_ROWS
        outcome = (Outcome.PARTIAL if closing else Outcome.ANSWERED) if shown else Outcome.NOT_FOUND
        too_few = self._too_few() if self._manuscript.supported else ""
        reason = "" if shown else assessment.abstain_reason or too_few or wording.NO_PASSAGE
        return Draft(
            sentences=shown,
            claims=tuple(claim for claim in self._manuscript.claims if shown or not claim.supported),
            confidence=assessment.confidence if shown else _unanswered(assessment.confidence),
            sufficient=assessment.sufficient and bool(shown),
            outcome=outcome,
            preface=self._preface,
            closing=closing,
            sides=self._brief.sides,
            flags=self._flags,
            abstain_reason=reason,
            usage=self._usage,
        )

    def _assess(self) -> Assessment:
        with self._watch.stage("assess"):
            self._assessment = assess(
                self._brief.question,
                self._passages,
                self._manuscript.judged,
                generator=self._usage.writer,
                several=bool(self._brief.sides),
            )
        return self._assessment

    def _too_little(self) -> bool:
        return not self._manuscript.supported or bool(self._too_few())

    def _too_few(self) -> str:
        """Why what is supported must not be shown; empty when it rests on enough."""
        cited = {chunk_id for _, judgement in self._manuscript.supported for chunk_id in judgement.chunk_ids}
        documents = {p.document.id for p in self._passages if p.chunk.id in cited}
        if len(documents) < self._limits.minimum_sources:
            return wording.too_few(len(documents), self._limits.minimum_sources, "document")
        if len(cited) < self._limits.minimum_citations:
            return wording.too_few(len(cited), self._limits.minimum_citations, "passage")
        return ""

    def _unanswered_sides(self) -> tuple[str, ...]:
        """Sides that nothing shown is about: without a column, found for another side only, named by no sentence."""
        supported = self._manuscript.supported
        columns = {
            c for sentence, _ in supported if sentence.kind is BlockKind.HEADER for c in sentence.text.split(" | ")
        }
        cited = {chunk_id for _, judgement in supported for chunk_id in judgement.chunk_ids}
        found = {passage.query for passage in self._passages if passage.chunk.id in cited}
        said = {
            term for sentence, _ in supported if sentence.kind is not BlockKind.HEADER for term in terms(sentence.text)
        }
        return tuple(
            side
            for number, side in enumerate(self._brief.sides)
            if number not in found and side not in columns and said.isdisjoint(terms(side))
        )


def _unanswered(confidence: Confidence) -> Confidence:
    """Where nothing is shown, nothing is said of the sentences that were not."""
    reasons = tuple(factor for factor in confidence.reasons if factor.name in ABOUT_PASSAGES)
    return Confidence(level=Level.LOW, score=confidence.score, reasons=reasons)


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    return "it stopped without an end" if isinstance(error, StopAsyncIteration) else str(error)
