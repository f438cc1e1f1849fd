"""The stream of a model's sentences, each with its judgement, within the time limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass
from functools import partial

from pipeline.check.judge_prompt import PendingClaim, estimate_judge_prompt
from pipeline.compose.answer import CheckedSentence
from pipeline.drafting.captions import header_above, is_caption
from pipeline.drafting.task import AnswerModel, DraftTask
from pipeline.drafting.turns import QueueTooLong
from pipeline.errors import CitewellError
from pipeline.values import (
    NOT_CHECKED,
    AdditionalPassages,
    AnswerStage,
    BlockKind,
    DraftEnd,
    DraftSentence,
    Judgement,
    ProgressEvent,
    SupportBasis,
    Usage,
    replace,
)
from pipeline.write.draft_failures import DRAFT_TOO_LATE, MODEL_QUEUE_FULL

_WAITING_SHARE = 0.6
"""Share of the time to the first sentence that a question waits for its turn at most: the rest is for reading."""


async def stream_checked_draft(
    task: DraftTask, model: AnswerModel
) -> AsyncGenerator[CheckedSentence | AdditionalPassages | ProgressEvent | DraftEnd, None]:
    """Yield the model's sentences in judged order until a time limit or an error ends them; then the judged rest and
    the end."""
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
                    draft.stop_waiting()
                    continue
                reason = DRAFT_TOO_LATE if isinstance(error, TimeoutError) else str(error)
                for judged in draft.rest():
                    yield judged
                yield draft.end_with(reason)
                return
            yield piece
            if isinstance(piece, DraftEnd):
                return
    finally:
        await draft.close()


@dataclass(eq=False)
class _JudgedSentence:
    """A sentence of the draft, and the judgement that it waits for."""

    claim: PendingClaim
    word_judgement: Judgement
    """Judgement by words alone."""
    verdict: asyncio.Future[Judgement]

    @property
    def checked(self) -> CheckedSentence:
        read = self.verdict.done() and self.verdict.exception() is None
        judgement = self.verdict.result() if read else replace(self.word_judgement, reason=NOT_CHECKED)
        return CheckedSentence(self.claim.sentence, judgement)

    @property
    def refused(self) -> bool:
        """True where the sentence is not supported, and might be in other words."""
        sentence, judgement, _ = self.checked
        written = sentence.kind is not BlockKind.CODE and not is_caption(sentence)
        return written and not (judgement.is_supported or judgement.is_injected)


class _Draft:
    """A draft while it is written.

    The judge is asked about the first unsure sentence at once, about all others when the last one is written, and about
    the rewritten ones: three times at most. Unsupported sentences are rewritten once, all together."""

    def __init__(self, task: DraftTask, model: AnswerModel) -> None:
        self.end: DraftEnd | None = None
        self._draft_usage = Usage()
        self._task, self._model = task, model
        self._readings: list[_JudgedSentence] = []
        self._news: list[AdditionalPassages | ProgressEvent] = []
        """Given ahead of all sentences: any of them may rest on the passages."""
        self._next_index = 0
        self._unawaited = 0
        """Number of sentences at the beginning that are not awaited any more."""
        self._arrived = asyncio.Event()
        self._unsent: list[_JudgedSentence] = []
        self._calls: list[asyncio.Task[Sequence[Judgement]]] = []
        self._judge_tokens = 0
        """Tokens of the reviews and of the repair."""
        self._turn = AsyncExitStack()
        self._has_waited = False
        self._write_call = asyncio.create_task(self._write())
        self._repair_call: asyncio.Task[None] | None = None

    @property
    def stands(self) -> bool:
        """True where a sentence is supported, yielded or not."""
        return any(reading.checked.judgement.is_supported for reading in self._readings)

    @property
    def _seconds_left(self) -> float:
        """Seconds until the draft is ended, as it stands now."""
        limits = self._task.limits
        limit = limits.total_seconds if self.stands else limits.first_sentence_seconds
        return limit - self._task.stopwatch.elapsed_seconds

    def stop_waiting(self) -> None:
        """Let nothing before the last supported sentence be awaited any more: it is shown without what is not supported
        by now."""
        last = max(n for n, reading in enumerate(self._readings) if reading.checked.judgement.is_supported)
        self._unawaited = last + 1

    async def next(self) -> CheckedSentence | AdditionalPassages | ProgressEvent | DraftEnd:
        """Return the next piece, once it is judged; after a cancellation it can be called again. Raises the errors of
        the writer and the judge."""
        watch = self._task.stopwatch
        while not self._news:
            if self._next_index < len(self._readings):
                reading = self._readings[self._next_index]
                if self._next_index < self._unawaited:
                    self._next_index += 1
                    return reading.checked
                with watch.stage("review"):
                    await asyncio.shield(reading.verdict)
                if reading.refused:
                    with watch.stage("repair"):
                        await self._wait_for_repair()
                if not self._news:
                    self._next_index += 1
                    return reading.checked
            elif self._write_call.done():
                return await self._finish()
            else:
                self._arrived.clear()
                with watch.stage("write"):
                    await self._arrived.wait()
        return self._news.pop(0)

    def rest(self) -> Iterator[CheckedSentence | AdditionalPassages | ProgressEvent]:
        """Yield the pieces not yet returned, with the judgements so far."""
        yield from self._news
        for reading in self._readings[self._next_index :]:
            yield reading.checked

    def end_with(self, reason: str) -> DraftEnd:
        """Return the end of the draft, or one with `reason` where it has none, and the usage so far."""
        end = self.end or DraftEnd(is_complete=False, reason=reason)
        return replace(end, usage=self._usage)

    async def close(self) -> None:
        """Cancel the calls that still run, and count the tokens of all."""
        running = [self._write_call, *self._calls, *([self._repair_call] if self._repair_call else [])]
        for call in running:
            call.cancel()
        try:
            await asyncio.gather(*running, return_exceptions=True)
        finally:
            self._task.counter.tokens += self._usage.input_tokens + self._usage.output_tokens
            await self._turn.aclose()
        for reading in self._readings:
            if reading.verdict.done() and not reading.verdict.cancelled():
                reading.verdict.exception()  # retrieved, so that asyncio does not log it as lost

    async def _finish(self) -> DraftEnd:
        await self._write_call
        return self.end_with("it stopped without an end")

    @property
    def _usage(self) -> Usage:
        usage = self._draft_usage
        return replace(usage, input_tokens=usage.input_tokens + self._judge_tokens)

    @contextmanager
    def _estimate_if_cancelled(self, estimate: Callable[[], int]) -> Iterator[None]:
        """Count an estimate for a call that is cancelled: its prompt may have been read."""
        try:
            yield
        except asyncio.CancelledError:
            self._judge_tokens += estimate()
            raise

    async def _write(self) -> None:
        task, limits = self._task, self._task.limits
        try:
            await self._take_turn()
            seconds = limits.first_sentence_seconds - task.stopwatch.elapsed_seconds
            writing = self._model.writer.write(
                task.brief, task.prompt_passages, task.history, task.search, seconds=seconds
            )
            async with aclosing(writing) as pieces:
                async for piece in pieces:
                    self._take_piece(piece)
                    self._arrived.set()
        except QueueTooLong:
            self.end = DraftEnd(is_complete=False, reason=MODEL_QUEUE_FULL)
        except asyncio.CancelledError:
            self._unsent.clear()  # a cancelled draft needs no judgements
            raise
        finally:
            self._start_judging(self._unsent)
            self._arrived.set()

    async def _take_turn(self) -> None:
        """Wait for the turn at the model, which is held until the draft is closed."""
        turns, limits = self._model.turns, self._task.limits
        if turns is None:
            return
        left = limits.first_sentence_seconds - self._task.stopwatch.elapsed_seconds
        with self._task.stopwatch.stage("wait"):
            await self._turn.enter_async_context(turns.take(_WAITING_SHARE * left, self._tell_place))
        if self._has_waited:
            self._news.append(ProgressEvent(stage=AnswerStage.WRITING))
            self._arrived.set()

    def _tell_place(self, ahead: int) -> None:
        self._has_waited = True
        self._news.append(ProgressEvent(stage=AnswerStage.WAITING, ahead=ahead))
        self._arrived.set()

    def _take_piece(self, piece: DraftSentence | AdditionalPassages | Usage | DraftEnd) -> None:
        match piece:
            case DraftEnd():
                self.end, self._draft_usage = piece, piece.usage
            case Usage():
                self._draft_usage = piece
            case AdditionalPassages():
                self._task = self._task.with_passages(piece.passages)
                self._news.append(piece)
            case DraftSentence():
                self._readings.append(self._add_sentence(piece))

    @property
    def _judges_at_end(self) -> bool:
        """True where the judge's requests would wait behind the draft: they go to the same server, which has one
        slot."""
        judge, turns = self._model.judge, self._model.turns
        shares = judge is not None and judge.name == self._model.name
        return shares and turns is not None and turns.model.capacity.slots == 1

    def _add_sentence(self, sentence: DraftSentence) -> _JudgedSentence:
        claim = PendingClaim(sentence, header_above(sentence, [earlier.claim.sentence for earlier in self._readings]))
        reading = _JudgedSentence(claim, self._task.judge_sentence(*claim), asyncio.get_running_loop().create_future())
        if reading.word_judgement.support is not SupportBasis.UNSURE or is_caption(sentence) or not self._model.judge:
            reading.verdict.set_result(reading.word_judgement)
        elif self._calls or self._judges_at_end:
            self._unsent.append(reading)
        else:
            self._start_judging([reading])
        return reading

    def _start_judging(self, readings: Sequence[_JudgedSentence]) -> None:
        if readings:
            call = asyncio.create_task(self._judge([reading.claim for reading in readings]))
            call.add_done_callback(partial(_pass_judgements, tuple(readings)))
            self._calls.append(call)

    async def _judge(self, claims: Sequence[PendingClaim]) -> Sequence[Judgement]:
        """Judge claims; by words alone where there is no judge."""
        task, judge = self._task, self._model.judge
        if judge is None:
            return [task.judge_sentence(*claim) for claim in claims]
        passages = task.citable_passages
        with self._estimate_if_cancelled(lambda: estimate_judge_prompt(claims, passages, task.question)):
            judgements, tokens = await judge.review(
                claims, passages, question=task.question, history_text=task.history_text, seconds=self._seconds_left
            )
        self._judge_tokens += tokens
        return judgements

    async def _wait_for_repair(self) -> None:
        """Wait until the unsupported sentences were rewritten, once."""
        self._repair_call = self._repair_call or asyncio.create_task(self._repair())
        await asyncio.shield(self._repair_call)

    async def _repair(self) -> None:
        await asyncio.wait({self._write_call})
        if self._calls:
            await asyncio.wait(self._calls)
        refused = {n: reading.checked.judgement.reason for n, reading in enumerate(self._readings) if reading.refused}
        if not (self.end and self.end.is_complete):
            return
        task, draft = self._task, [reading.claim.sentence for reading in self._readings]
        # the request holds the prompt of the draft, and the draft
        with self._estimate_if_cancelled(lambda: self._draft_usage.input_tokens + self._draft_usage.output_tokens):
            rewritten, tokens = await self._model.writer.rewrite(
                task.brief,
                task.citable_passages,
                task.history,
                draft,
                refused,
            )
        self._judge_tokens += tokens
        claims = {
            n: PendingClaim(sentence, self._readings[n].claim.header)
            for n, sentence in rewritten.items()
            if n in refused
        }
        shown_texts = {
            reading.claim.sentence.text for reading in self._readings if reading.checked.judgement.is_supported
        }
        for n, judgement in zip(claims, await self._judge(list(claims.values())) if claims else (), strict=True):
            text = claims[n].sentence.text
            if judgement.is_supported and text not in shown_texts:
                shown_texts.add(text)
                self._readings[n].claim = claims[n]
                self._readings[n].verdict = asyncio.get_running_loop().create_future()
                self._readings[n].verdict.set_result(judgement)


def _pass_judgements(readings: Sequence[_JudgedSentence], call: asyncio.Task[Sequence[Judgement]]) -> None:
    """Pass the judgements of a call, or its error, to the sentences that wait for them."""
    if call.cancelled():
        return
    if error := call.exception():
        for reading in readings:
            reading.verdict.set_exception(error)
        return
    for reading, judgement in zip(readings, call.result(), strict=True):
        reading.verdict.set_result(judgement)
