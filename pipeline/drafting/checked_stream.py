"""What a model writes, sentence by sentence as each is judged, as far as it comes in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.check.judge_prompt import PendingClaim
from pipeline.check.model_judge import NOT_CHECKED
from pipeline.compose.answer import CAPTION_KINDS, CheckedSentence
from pipeline.drafting.task import AnswerModel, DraftTask
from pipeline.errors import CitewellError, Unavailable
from pipeline.values import (
    AdditionalPassages,
    BlockKind,
    Cells,
    DraftEnd,
    DraftSentence,
    Judgement,
    SupportBasis,
    replace,
)
from pipeline.words.text import is_lead_in, is_yes_or_no

# --- What says nothing by itself ------------------------------------------------------------------
# A header, a heading, a lead-in, `Yes.`: shown with what stands under it, or not.

MIN_ANSWER_CHARACTERS = 20
"""Characters below which what a model writes is no answer, unless a passage supports it (specification A)."""


def release_captions(
    captions: list[CheckedSentence], piece: CheckedSentence, *, grounded: bool
) -> tuple[list[CheckedSentence], list[CheckedSentence]]:
    """What may be shown now that `piece` is judged, and the captions that still wait for what stands under them."""
    judgement = piece.judgement
    unread = judgement.support is SupportBasis.UNSURE and is_caption(piece.sentence)
    if is_caption(piece.sentence) or (_waits(piece.sentence) and (judgement.is_supported or grounded)):
        others = [one for one in captions if _form(one.sentence) != _form(piece.sentence)]
        return [], [*others, piece] if judgement.is_supported or unread else others
    if judgement.is_supported:
        return [*(_leaning(one, judgement) for one in captions), piece], []
    if not (grounded or judgement.is_injected):
        return [*captions, piece], []
    return [], [one for one in captions if not is_yes_or_no(one.sentence.text)]


def _leaning(caption: CheckedSentence, below: Judgement) -> CheckedSentence:
    """A caption with what it rests on: what stands `below` it, where it names that too or no words decide."""
    own = caption.judgement
    if own.is_supported and not is_caption(caption.sentence):
        return caption
    chunk_ids = tuple(one for one in own.chunk_ids if one in below.chunk_ids) or own.chunk_ids or below.chunk_ids
    support = own.support if own.is_supported else below.support
    return caption._replace(judgement=replace(own, support=support, chunk_ids=chunk_ids, quote=""))


def header_above(sentence: DraftSentence, before: Sequence[DraftSentence]) -> Cells:
    """The cells of the header that a row stands under; none for anything else."""
    if sentence.kind is not BlockKind.ROW:
        return ()
    above = next((one for one in reversed(before) if one.kind is not BlockKind.ROW), None)
    return above.cells if above and above.kind is BlockKind.HEADER else ()


def is_caption(sentence: DraftSentence) -> bool:
    """Whether it says nothing by itself, and stands where what follows does: a header, a heading, `Yes.`"""
    return sentence.kind in CAPTION_KINDS or is_yes_or_no(sentence.text)


def _waits(sentence: DraftSentence) -> bool:
    """Whether it never stands alone: a caption, or what leads in to a list, a table or code."""
    return is_caption(sentence) or (sentence.kind is BlockKind.PROSE and is_lead_in(sentence.text))


def _form(sentence: DraftSentence) -> tuple[BlockKind, bool]:
    """What gives way to its like: one heading to the next, one lead-in to the next, and `Yes.` to neither."""
    return sentence.kind, is_caption(sentence)


def is_single_answer(pieces: Sequence[CheckedSentence]) -> bool:
    """Whether all that was written is one sentence that stands, though it leads in to nothing."""
    return (
        len(pieces) == 1 and pieces[0].judgement.is_supported and len(pieces[0].sentence.text) >= MIN_ANSWER_CHARACTERS
    )


def is_substantial(sentence: DraftSentence) -> bool:
    return len(sentence.text) >= MIN_ANSWER_CHARACTERS and not _waits(sentence)


# --- As far as it comes in time -------------------------------------------------------------------

DRAFT_TOO_LATE = "it took too long"


async def stream_checked_draft(
    task: DraftTask, model: AnswerModel
) -> AsyncGenerator[CheckedSentence | AdditionalPassages | DraftEnd, None]:
    """The model's sentences as far as they come in time; what goes wrong ends them. What stands by then is given."""
    limits = task.limits
    seconds = limits.first_sentence_seconds
    draft = _Draft(task, model)
    try:
        while True:
            try:
                async with asyncio.timeout(seconds - task.stopwatch.elapsed_seconds):
                    piece = await draft.next()
            except (TimeoutError, CitewellError) as error:
                if isinstance(error, TimeoutError) and draft.stands and seconds < limits.total_seconds:
                    seconds = limits.total_seconds
                    continue
                why = DRAFT_TOO_LATE if isinstance(error, TimeoutError) else str(error)
                for one in draft.rest():
                    yield one
                yield draft.late(DraftEnd(is_complete=False, reason=why, is_usage_exact=isinstance(error, Unavailable)))
                return
            yield piece
            if isinstance(piece, DraftEnd):
                return
    finally:
        await draft.close()


@dataclass(eq=False)
class _Reading:
    said: PendingClaim
    words: Judgement
    """What words decide."""
    verdict: asyncio.Future[Judgement]

    @property
    def checked(self) -> CheckedSentence:
        read = self.verdict.done() and self.verdict.exception() is None
        judgement = self.verdict.result() if read else replace(self.words, reason=NOT_CHECKED)
        return CheckedSentence(self.said.sentence, judgement)

    @property
    def refused(self) -> bool:
        """It does not stand, and might if it were written otherwise."""
        sentence, judgement, _ = self.checked
        written = sentence.kind is not BlockKind.CODE and not is_caption(sentence)
        return written and not (judgement.is_supported or judgement.is_injected)


class _Draft:
    """A draft while it is written. The judge is asked about the first unsure sentence at once, about all others when
    the last one is written, and about those that were written again: three times at most. A sentence that does not
    stand is written again once, with all others that do not."""

    def __init__(self, task: DraftTask, model: AnswerModel) -> None:
        self.end: DraftEnd | None = None
        self._task, self._model = task, model
        self._readings: list[_Reading] = []
        self._found: list[AdditionalPassages] = []
        """Given ahead of all sentences: any of them may rest on it."""
        self._given = 0
        self._arrived = asyncio.Event()
        self._waiting: list[_Reading] = []
        self._calls: list[asyncio.Task[Sequence[Judgement]]] = []
        self._spent = 0
        self._writing = asyncio.create_task(self._write())
        self._repairing: asyncio.Task[None] | None = None

    @property
    def stands(self) -> bool:
        """Whether a sentence does, given or not."""
        return any(one.checked.judgement.is_supported for one in self._readings)

    async def next(self) -> CheckedSentence | AdditionalPassages | DraftEnd:
        """What comes next, once it is judged; cancelled, it can be asked again. Raises what the writer or the judge
        raised."""
        watch = self._task.stopwatch
        while not self._found:
            if self._given < len(self._readings):
                reading = self._readings[self._given]
                with watch.stage("review"):
                    await asyncio.shield(reading.verdict)
                if reading.refused:
                    with watch.stage("repair"):
                        await self._repaired()
                if not self._found:
                    self._given += 1
                    return reading.checked
            elif self._writing.done():
                return await self._ended()
            else:
                self._arrived.clear()
                with watch.stage("write"):
                    await self._arrived.wait()
        return self._found.pop(0)

    def rest(self) -> Iterator[CheckedSentence | AdditionalPassages]:
        """What was written and not given yet, as far as it is judged."""
        yield from self._found
        for reading in self._readings[self._given :]:
            yield reading.checked

    def late(self, otherwise: DraftEnd) -> DraftEnd:
        """How the draft ended, if it did; what is still read or written again is not waited for, and not counted."""
        return replace(self.end, is_usage_exact=False) if self.end else otherwise

    async def close(self) -> None:
        running = [self._writing, *self._calls, *([self._repairing] if self._repairing else [])]
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for reading in self._readings:
            if reading.verdict.done() and not reading.verdict.cancelled():
                reading.verdict.exception()  # so that nobody misses who looks for it

    async def _ended(self) -> DraftEnd:
        await self._writing
        end = self.end or DraftEnd(is_complete=False, reason="it stopped without an end", is_usage_exact=False)
        usage = replace(end.usage, input_tokens=end.usage.input_tokens + self._spent)
        return replace(end, usage=usage)

    async def _write(self) -> None:
        task, model = self._task, self._model
        try:
            async for piece in model.writer.write(task.brief, task.prompt_passages, task.history, task.search):
                match piece:
                    case DraftEnd():
                        self.end = piece
                    case AdditionalPassages():
                        self._task = self._task.with_passages(piece.passages)
                        self._found.append(piece)
                    case DraftSentence():
                        self._readings.append(self._read(piece))
                self._arrived.set()
        except asyncio.CancelledError:
            self._waiting.clear()  # nobody reads what they would be found to be
            raise
        finally:
            self._ask(self._waiting)
            self._arrived.set()

    def _read(self, sentence: DraftSentence) -> _Reading:
        said = PendingClaim(sentence, header_above(sentence, [one.said.sentence for one in self._readings]))
        reading = _Reading(said, self._task.judge_sentence(*said), asyncio.get_running_loop().create_future())
        if reading.words.support is not SupportBasis.UNSURE or is_caption(sentence) or not self._model.judge:
            reading.verdict.set_result(reading.words)
        elif self._calls:
            self._waiting.append(reading)
        else:
            self._ask([reading])
        return reading

    def _ask(self, readings: Sequence[_Reading]) -> None:
        if readings:
            call = asyncio.create_task(self._judged([one.said for one in readings]))
            call.add_done_callback(partial(_tell, tuple(readings)))
            self._calls.append(call)

    async def _judged(self, said: Sequence[PendingClaim]) -> Sequence[Judgement]:
        """Also by words alone where there is no judge."""
        task, judge = self._task, self._model.judge
        if judge is None:
            return [task.judge_sentence(*one) for one in said]
        found, tokens = await judge.review(
            said, task.citable_passages, question=task.question, history_text=task.history_text
        )
        self._spent += tokens
        return found

    async def _repaired(self) -> None:
        """Wait until what does not stand was written again, once."""
        self._repairing = self._repairing or asyncio.create_task(self._repair())
        await asyncio.shield(self._repairing)

    async def _repair(self) -> None:
        await asyncio.wait({self._writing})
        if self._calls:
            await asyncio.wait(self._calls)
        refused = {n: one.checked.judgement.reason for n, one in enumerate(self._readings) if one.refused}
        if not (self.end and self.end.is_complete):
            return
        task, draft = self._task, [one.said.sentence for one in self._readings]
        again, tokens = await self._model.writer.rewrite(
            task.brief, task.citable_passages, task.history, draft, refused
        )
        self._spent += tokens
        said = {
            n: PendingClaim(sentence, self._readings[n].said.header) for n, sentence in again.items() if n in refused
        }
        shown = {one.said.sentence.text for one in self._readings if one.checked.judgement.is_supported}
        for n, judgement in zip(said, await self._judged(list(said.values())) if said else (), strict=True):
            text = said[n].sentence.text
            if judgement.is_supported and text not in shown:
                shown.add(text)
                self._readings[n].said = said[n]
                self._readings[n].verdict = asyncio.get_running_loop().create_future()
                self._readings[n].verdict.set_result(judgement)


def _tell(readings: Sequence[_Reading], call: asyncio.Task[Sequence[Judgement]]) -> None:
    """What a call found, to whoever waits for it; what it raised they raise."""
    if call.cancelled():
        return
    if error := call.exception():
        for reading in readings:
            reading.verdict.set_exception(error)
        return
    for reading, judgement in zip(readings, call.result(), strict=True):
        reading.verdict.set_result(judgement)
