"""Asks questions of a Citewell as people do, and records what its model was asked, what it wrote and what was shown."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from bot.citewell import Citewell, console_conversation
from pipeline.ports import ChatMessage, StreamEnd, TextDelta
from pipeline.values import (
    AdditionalPassages,
    Answer,
    AnswerStage,
    DraftEnd,
    DraftSentence,
    ProgressEvent,
    RetrievedChunk,
    SentenceEvent,
)
from pipeline.words.text import estimate_tokens


@dataclass
class Call:
    """One streamed request to the model."""

    prompt: int
    """Tokens of the prompt, as `estimate_tokens` counts them."""
    started: float
    first_text: float | None = None
    """Seconds until text came."""
    text: str = ""
    end: StreamEnd | None = None
    error: str = ""
    """Name of the class of the error that ended it."""


@dataclass
class Record:
    """What came of one question."""

    question: str
    thread: str
    is_second: bool = False
    calls: list[Call] = field(default_factory=list)
    written: list[DraftSentence] = field(default_factory=list)
    passages: list[RetrievedChunk] = field(default_factory=list)
    """Passages that the model was shown."""
    draft_end: DraftEnd | None = None
    was_told_to_wait: bool = False
    first_seconds: float = 0.0
    """Seconds until the first sentence was shown, or the answer without one."""
    total_seconds: float = 0.0
    cached_share: float | None = None
    """Share of its prompts that the server took from its cache; None where it does not count."""
    answer: Answer | None = None
    """None where the question was lost."""
    error: str = ""


_current: ContextVar[Record | None] = ContextVar("_current", default=None)


class _RecordingModel:
    """A language model that records the streams of the question that is asked now."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def stream(self, messages: Sequence[ChatMessage], **options: Any) -> AsyncGenerator[Any, None]:
        call = Call(sum(estimate_tokens(message.content) for message in messages), time.perf_counter())
        if record := _current.get():
            record.calls.append(call)
        try:
            async with aclosing(self._model.stream(messages, **options)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextDelta):
                        call.first_text = call.first_text or time.perf_counter() - call.started
                        call.text += piece.text
                    elif isinstance(piece, StreamEnd):
                        call.end = piece
                    yield piece
        except Exception as error:
            call.error = type(error).__name__
            raise


class _RecordingWriter:
    """A writer that records the sentences of its drafts, and the passages that it was shown."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    async def write(self, *given: Any, **named: Any) -> AsyncGenerator[Any, None]:
        record = _current.get() or Record("", "")
        async with aclosing(self._writer.write(*given, **named)) as pieces:
            async for piece in pieces:
                match piece:
                    case AdditionalPassages():
                        record.passages += piece.passages
                    case DraftSentence():
                        record.written.append(piece)
                    case DraftEnd():
                        record.draft_end = piece
                yield piece


def recorded(citewell: Citewell) -> Citewell:
    """Return the same Citewell, whose model is recorded."""
    model = citewell.model
    if model is None:
        raise ValueError("no model is set")
    writer: Any = model.writer
    fitter = dataclasses.replace(writer.fitter, model=_RecordingModel(writer.fitter.model))
    writer = dataclasses.replace(writer, fitter=fitter)
    return dataclasses.replace(citewell, model=dataclasses.replace(model, writer=_RecordingWriter(writer)))


async def ask(citewell: Citewell, text: str, thread: str, *, is_second: bool = False) -> Record:
    """Ask one question in a conversation, and read its events to the end."""
    record = Record(text, thread, is_second)
    token = _current.set(record)
    started = time.perf_counter()
    try:
        stream = await citewell.stream(text, thread=thread)
        async with stream:
            async for event in stream:
                if isinstance(event, SentenceEvent):
                    record.first_seconds = record.first_seconds or time.perf_counter() - started
                elif isinstance(event, ProgressEvent):
                    record.was_told_to_wait |= event.stage is AnswerStage.WAITING
            record.answer = await stream.answer()
    except Exception as error:  # noqa: BLE001 - a question that fails is counted as lost
        record.error = repr(error)
    finally:
        _current.reset(token)
    record.total_seconds = time.perf_counter() - started
    record.first_seconds = record.first_seconds or record.total_seconds
    return record


async def ask_together(citewell: Citewell, questions: Sequence[str], threads: Sequence[str]) -> list[Record]:
    """Ask questions at the same time, each in a conversation of its own."""
    return list(await asyncio.gather(*(ask(citewell, *one) for one in zip(questions, threads, strict=True))))


async def count_misfiled(citewell: Citewell, records: Sequence[Record]) -> tuple[int, int]:
    """Return the number of questions without an answer or a turn in their conversation, and of turns too many."""
    lost = sum(record.answer is None for record in records)
    doubled = 0
    for thread in {record.thread for record in records}:
        asked = [
            record.question
            for record in records
            if record.thread == thread and record.answer and record.answer.standalone
        ]
        kept = [
            turn.question
            for turn in (await citewell.storage.history.recall(console_conversation(thread), len(asked) + 9)).turns
        ]
        lost += sum(question not in kept for question in asked)
        doubled += max(0, len(kept) - len(asked))
    return lost, doubled


async def tokens_counted(citewell: Citewell) -> int:
    """Return the tokens that the budget has counted against the person who asked."""
    found = await citewell.storage.database.read(lambda db: list(db.execute("SELECT max(tokens) FROM token_use")))
    return found[0][0] or 0
