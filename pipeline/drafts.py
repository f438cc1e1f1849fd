"""Two writers, one answer: what a model drafts, sentence by sentence as each is checked, and the extract that steps in.

Nothing unchecked is given on, and nothing given on is taken back: a model's draft begins with the sentence that
answers, and where that one does not stand the extract answers instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from pipeline import wording
from pipeline.budget import TokenBudget
from pipeline.check.judge import judge
from pipeline.compose.compose import Checked, Drafted
from pipeline.compose.confidence import Assessment, assess
from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Planner, Writer
from pipeline.streams import closing
from pipeline.text import decides, leads_in
from pipeline.values import (
    BlockKind,
    Brief,
    Extent,
    Finished,
    Judgement,
    Limits,
    RetrievedChunk,
    Sentence,
    Support,
    Turn,
    Usage,
)
from pipeline.write.synthesize import NOT_IN_DOCUMENTS

EXTRACTIVE = "extractive"
TOO_SHORT = 20
"""Characters below which what a model writes is no answer, unless a passage supports it (specification A)."""


class Judge(Protocol):
    """Reads a sentence and its passages where words do not decide."""

    async def review(
        self, sentence: Sentence, passages: Sequence[RetrievedChunk], *, question: str = "", header: str = ""
    ) -> tuple[Judgement, int]:
        """The judgement, and the tokens it cost; `header` is what a table row stands under. Never raises."""
        ...


@dataclass(frozen=True)
class Model:
    """A language model's part in an answer. It is asked for nothing that `budget` has set no tokens aside for."""

    name: str
    writer: Writer
    budget: TokenBudget
    judge: Judge | None = None
    planner: Planner | None = None
    reviews: int = 8
    """Sentences of one answer that the judge is asked about, the first ones: tokens are set aside for so many."""


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
    def elapsed(self) -> float:
        """Seconds since it was started."""
        return time.perf_counter() - self._started

    def read(self) -> dict[str, float]:
        """Every stage so far and `total`, rounded to microseconds."""
        return {name: round(value, 3) for name, value in (*self._stages.items(), ("total", self.elapsed * 1000))}


SPENT = Drafted(failure="the tokens of the day are spent", instead=wording.MODEL_SPENT)


@dataclass(frozen=True)
class Task:
    """What is to be answered, from what, and how long that may take; the limits count from when `watch` was started."""

    brief: Brief
    passages: Sequence[RetrievedChunk]
    history: Sequence[Turn]
    limits: Limits
    grounded: bool = True
    """Off: what the check does not support is shown as well, and marked."""
    always: bool = False
    """Show the best extract even where it does not answer."""
    watch: Stopwatch = field(default_factory=Stopwatch)

    @property
    def question(self) -> str:
        """All words that were asked with."""
        return " ".join((self.brief.question, *self.brief.sides))

    def judged(self, sentence: Sentence, header: str = "") -> Judgement:
        """What words alone decide of a sentence; `header` is what a table row stands under."""
        with self.watch.stage("validate"):
            return judge(sentence, self.passages, question=self.question, header=header)

    def assessed(self, checked: Sequence[Checked], writer: str, extent: Extent | None = None) -> Assessment:
        with self.watch.stage("assess"):
            brief = self.brief
            return assess(
                brief.question,
                self.passages,
                [(one.sentence, one.judgement) for one in checked],
                generator=writer,
                several=bool(brief.sides),
                extent=extent,
                topic=brief.topic,
            )

    def too_few(self, checked: Sequence[Checked]) -> str:
        """Why what is supported must not be shown; empty when it rests on as much as the operator asks for."""
        cited = {chunk_id for one in checked if one.judgement.supported for chunk_id in one.judgement.chunk_ids}
        documents = {passage.document.id for passage in self.passages if passage.chunk.id in cited}
        if len(documents) < self.limits.minimum_sources:
            return wording.too_few(len(documents), self.limits.minimum_sources, "document")
        if len(cited) < self.limits.minimum_citations:
            return wording.too_few(len(cited), self.limits.minimum_citations, "passage")
        return ""


async def write(
    task: Task, model: Model | None, extract: Writer, failed: Drafted | None = None
) -> AsyncIterator[Checked | Drafted]:
    """The sentences to show, in their order, and last one `Drafted`: what `model` writes; the extract where there is
    no model (`failed`: why not), or where nothing that it wrote may be shown."""
    begun = False
    if model:
        async with closing(by_model(task, model)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Drafted) and piece.failure and not begun:
                    failed = piece
                else:
                    begun = True
                    yield piece
    if failed or not model:
        async with closing(by_extract(task, extract, failed)) as pieces:
            async for piece in pieces:
                yield piece


async def by_model(task: Task, model: Model) -> AsyncIterator[Checked | Drafted]:
    """What `model` writes, from the sentence that answers on: where its first one does not stand, nothing does.

    Nothing is given on before it rests on as much as the operator asks for."""
    checked: list[Checked] = []
    held: list[Checked] = []
    captions: list[Checked] = []
    given, finished = False, Finished(complete=False)
    async with closing(_in_time(task, model)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Finished):
                finished = piece
                break
            if not _is_caption(piece.sentence):
                checked.append(piece)
            stands, captions = _settled(captions, piece, grounded=task.grounded)
            held += stands
            if _says_much(piece.sentence) and not (given or held):
                finished = Finished(complete=False, reason="the passages do not support its answer", counted=False)
                break
            if held and not task.too_few(checked):
                given = True
                for one in held:
                    yield one
                held = []
    yield _drafted(task, model, checked, finished, given=given)


def _drafted(task: Task, model: Model, checked: list[Checked], finished: Finished, *, given: bool) -> Drafted:
    absent = finished.reason == NOT_IN_DOCUMENTS
    wrote = any(_says_much(one.sentence) for one in checked)
    short = finished.complete and not (given or absent or wrote)
    failure = ""
    if short:
        failure = "its answer is too short"
    elif not finished.complete:
        failure = finished.reason or "cut off"
    elif not (given or absent):
        failure = "it cites too little"
    return Drafted(
        checked=tuple(checked),
        assessment=task.assessed(checked, model.name),
        usage=finished.usage.model_copy(update={"writer": model.name}),
        tokens=finished.usage.input_tokens + finished.usage.output_tokens if finished.counted else None,
        failure=failure,
        instead=(wording.MODEL_UNSUPPORTED if wrote else wording.MODEL_SILENT) if failure else "",
        missing=finished.missing,
        flags=("answer_too_short",) if short else (),
        too_few=task.too_few(checked),
    )


async def by_extract(task: Task, writer: Writer, failed: Drafted | None) -> AsyncIterator[Checked | Drafted]:
    """The passages' own sentences, where they answer; `failed` is the model's draft that they stand in for."""
    with task.watch.stage("write"):
        written = writer.write(task.brief, task.passages, task.history)
        pieces = [piece async for piece in written]
    drafted = [piece for piece in pieces if isinstance(piece, Sentence)]
    extent = next((piece.extent for piece in pieces if isinstance(piece, Finished)), None)
    checked, stands = _judged_all(task, drafted)
    assessment = task.assessed(checked, EXTRACTIVE, extent)
    if other := _missing(assessment.differing, stands):
        checked, stands = _judged_all(task, [*drafted, *other])
        assessment = task.assessed(checked, EXTRACTIVE, extent)
    too_few = task.too_few(checked)
    preface = ""
    if stands and (task.always or not (too_few or (task.limits.abstain and assessment.abstain))):
        preface = wording.preface(
            assessment.confidence.level,
            passages=len({one.judgement.chunk_ids[0] for one in stands}),
            differing=bool(assessment.differing) and not _missing(assessment.differing, stands),
            instead=failed.instead if failed else "",
            verdict=assessment.verdict,
        )
        for number, one in enumerate(stands):
            yield one._replace(preface=preface) if number == 0 else one
    usage = failed.usage if failed else Usage()
    notes = (*usage.notes, f"model_failed: {failed.failure}") if failed else ()
    yield Drafted(
        checked=tuple(checked),
        assessment=assessment,
        usage=usage.model_copy(update={"writer": EXTRACTIVE, "notes": notes}),
        tokens=failed.tokens if failed else 0,
        failure=failed.failure if failed else "",
        preface=preface,
        flags=failed.flags if failed else (),
        too_few=too_few if checked else "",
    )


async def _in_time(task: Task, model: Model) -> AsyncIterator[Checked | Finished]:
    """The model's sentences as far as they come in time; what goes wrong ends them."""
    limits = task.limits
    seconds = limits.first_sentence_seconds
    async with closing(_reviewed(task, model)) as pieces:
        while True:
            try:
                async with asyncio.timeout(seconds - task.watch.elapsed):
                    piece = await anext(pieces)
            except (TimeoutError, CitewellError) as error:
                why = "it took too long" if isinstance(error, TimeoutError) else str(error)
                yield Finished(complete=False, reason=why, counted=isinstance(error, Unavailable))
                return
            yield piece
            if isinstance(piece, Checked) and piece.judgement.supported:
                seconds = limits.total_seconds


async def _reviewed(task: Task, model: Model) -> AsyncIterator[Checked | Finished]:
    """The model's sentences in their order, each judged. Where words do not decide the judge reads, while the model
    writes on: an answer ends at most one such reading later."""
    drafted: asyncio.Queue[_Reading | Finished | Exception] = asyncio.Queue()
    readings: list[_Reading] = []

    def read(sentence: Sentence) -> _Reading:
        header = _header(sentence, [one.sentence for one in readings])
        judgement = task.judged(sentence, header)
        unsure = judgement.support is Support.UNSURE and not _is_caption(sentence)
        asked = sum(one.review is not None for one in readings)
        review = None
        if unsure and model.judge and asked < model.reviews:
            reading = model.judge.review(sentence, task.passages, question=task.question, header=header)
            review = asyncio.create_task(reading)
        readings.append(_Reading(sentence, judgement, review))
        return readings[-1]

    async def draft() -> None:
        try:
            async with closing(model.writer.write(task.brief, task.passages, task.history)) as pieces:
                async for piece in pieces:
                    drafted.put_nowait(read(piece) if isinstance(piece, Sentence) else piece)
        except Exception as error:  # noqa: BLE001 - raised where the sentences are taken
            drafted.put_nowait(error)
        else:
            drafted.put_nowait(Finished(complete=False, reason="it stopped without an end", counted=False))

    writing = asyncio.create_task(draft())
    spent = 0
    try:
        while True:
            with task.watch.stage("write"):
                piece = await drafted.get()
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, Finished):
                usage = piece.usage.model_copy(update={"input_tokens": piece.usage.input_tokens + spent})
                yield piece.model_copy(update={"usage": usage})
                return
            with task.watch.stage("review"):
                judgement, tokens = await piece.review if piece.review else (piece.judgement, 0)
            spent += tokens
            yield Checked(piece.sentence, judgement)
    finally:
        running = [writing, *(one.review for one in readings if one.review)]
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@dataclass(frozen=True)
class _Reading:
    sentence: Sentence
    judgement: Judgement
    review: asyncio.Task[tuple[Judgement, int]] | None


def _judged_all(task: Task, sentences: Sequence[Sentence]) -> tuple[list[Checked], list[Checked]]:
    """All of them but captions with what the check thinks, and those that stand."""
    pieces = [
        Checked(sentence, task.judged(sentence, _header(sentence, sentences[:number])))
        for number, sentence in enumerate(sentences)
    ]
    stands: list[Checked] = []
    captions: list[Checked] = []
    for piece in pieces:
        more, captions = _settled(captions, piece, grounded=True)
        stands += more
    return [piece for piece in pieces if not _is_caption(piece.sentence)], stands


def _settled(captions: list[Checked], piece: Checked, *, grounded: bool) -> tuple[list[Checked], list[Checked]]:
    """What may be shown now that `piece` is judged, and the captions that still wait for what stands under them."""
    judgement = piece.judgement
    unread = judgement.support is Support.UNSURE and _is_caption(piece.sentence)
    if _is_caption(piece.sentence) or (_waits(piece.sentence) and (judgement.supported or grounded)):
        others = [one for one in captions if _form(one.sentence) != _form(piece.sentence)]
        return [], [*others, piece] if judgement.supported or unread else others
    if judgement.supported:
        return [*(_leaning(one, judgement) for one in captions), piece], []
    if not (grounded or judgement.forbidden):
        return [*captions, piece], []
    return [], [one for one in captions if not decides(one.sentence.text)]


def _leaning(caption: Checked, below: Judgement) -> Checked:
    """A caption with what it rests on: what stands `below` it, where it names that too or no words decide."""
    own = caption.judgement
    if own.supported and not _is_caption(caption.sentence):
        return caption
    chunk_ids = tuple(one for one in own.chunk_ids if one in below.chunk_ids) or own.chunk_ids or below.chunk_ids
    support = own.support if own.supported else below.support
    return caption._replace(judgement=own.model_copy(update={"support": support, "chunk_ids": chunk_ids}))


def _header(sentence: Sentence, before: Sequence[Sentence]) -> str:
    """The header row that a row stands under; empty for anything else."""
    if sentence.kind is not BlockKind.ROW:
        return ""
    above = next((one for one in reversed(before) if one.kind is not BlockKind.ROW), None)
    return above.text if above and above.kind is BlockKind.HEADER else ""


def _is_caption(sentence: Sentence) -> bool:
    """Whether it says nothing by itself, and stands where what follows does: a header, a heading, `Yes.`"""
    return sentence.kind in (BlockKind.HEADER, BlockKind.HEADING) or decides(sentence.text)


def _waits(sentence: Sentence) -> bool:
    """Whether it never stands alone: a caption, or what leads in to a list, a table or code."""
    return _is_caption(sentence) or (sentence.kind is BlockKind.PROSE and leads_in(sentence.text))


def _form(sentence: Sentence) -> tuple[BlockKind, bool]:
    """What gives way to its like: one heading to the next, one lead-in to the next, and `Yes.` to neither."""
    return sentence.kind, _is_caption(sentence)


def _says_much(sentence: Sentence) -> bool:
    return len(sentence.text) >= TOO_SHORT and not _waits(sentence)


def _missing(differing: Sequence[Sentence], stands: Sequence[Checked]) -> list[Sentence]:
    """The one of two sentences that do not agree that is not said; [] when both or neither are."""
    said = {one.sentence.text for one in stands}
    missing = [sentence for sentence in differing if sentence.text not in said]
    return missing if len(missing) == 1 else []
