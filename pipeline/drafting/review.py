"""What a model writes, sentence by sentence as each is judged, as far as it comes in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.compose.compose import Checked
from pipeline.drafting.captions import header_above, is_caption
from pipeline.drafting.task import Model, Task
from pipeline.errors import CitewellError, Unavailable
from pipeline.values import Finished, Judgement, Sentence, Support

TOO_LATE = "it took too long"


async def in_time(task: Task, model: Model) -> AsyncGenerator[Checked | Finished, None]:
    """The model's sentences as far as they come in time; what goes wrong ends them."""
    limits = task.limits
    seconds = limits.first_sentence_seconds
    async with aclosing(_reviewed(task, model)) as pieces:
        while True:
            try:
                async with asyncio.timeout(seconds - task.watch.elapsed):
                    piece = await anext(pieces)
            except (TimeoutError, CitewellError) as error:
                why = TOO_LATE if isinstance(error, TimeoutError) else str(error)
                yield Finished(complete=False, reason=why, counted=isinstance(error, Unavailable))
                return
            yield piece
            if isinstance(piece, Checked) and piece.judgement.supported:
                seconds = limits.total_seconds


async def _reviewed(task: Task, model: Model) -> AsyncGenerator[Checked | Finished, None]:
    """The model's sentences in their order, each judged. Where words do not decide the judge reads, while the model
    writes on: an answer ends at most one such reading later."""
    drafted: asyncio.Queue[_Reading | Finished | None] = asyncio.Queue()
    readings: list[_Reading] = []

    def read(sentence: Sentence) -> _Reading:
        header = header_above(sentence, [one.sentence for one in readings])
        judgement = task.judged(sentence, header)
        unsure = judgement.support is Support.UNSURE and not is_caption(sentence)
        asked = sum(one.review is not None for one in readings)
        review = None
        if unsure and model.judge and asked < model.reviews:
            reading = model.judge.review(sentence, task.passages, question=task.question, header=header)
            review = asyncio.create_task(reading)
        readings.append(_Reading(sentence, judgement, review))
        return readings[-1]

    async def draft() -> None:
        try:
            async with aclosing(model.writer.write(task.brief, task.passages, task.history)) as pieces:
                async for piece in pieces:
                    drafted.put_nowait(read(piece) if isinstance(piece, Sentence) else piece)
        finally:
            drafted.put_nowait(None)

    writing = asyncio.create_task(draft())
    spent = 0
    try:
        while True:
            with task.watch.stage("write"):
                piece = await drafted.get()
            if piece is None:
                await writing  # raises what the writer raised
                piece = Finished(complete=False, reason="it stopped without an end", counted=False)
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
