"""The event stream of an answer, and the interfaces of the stages that produce it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import wraps
from types import TracebackType
from typing import ParamSpec, Protocol

from pipeline.errors import UnusableResponse
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    AdditionalPassages,
    Answer,
    AnswerEvent,
    Audience,
    Conversation,
    DraftEnd,
    DraftSentence,
    Plan,
    ProgressEvent,
    Retrieval,
    RetrievedChunk,
    SearchPlan,
    SentenceEvent,
    Turn,
    Usage,
    WritingBrief,
)

# --- Event stream of an answer --------------------------------------------------------------------

P = ParamSpec("P")


class AnswerStream:
    """Iterates over the events before an `Answer`, and returns the answer on request.

    Nothing happens before it is read. As a context manager it is closed at the end, in the task that leaves it; leaving
    early stops the writing."""

    def __init__(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        """Wrap `events`, which end with exactly one `Answer`."""
        self._events = events
        self._answer: Answer | None = None

    async def __aenter__(self) -> AnswerStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._events.aclose()

    def __aiter__(self) -> AnswerStream:
        return self

    async def __anext__(self) -> ProgressEvent | SentenceEvent:
        async for event in self._events:
            if not isinstance(event, Answer):
                return event
            self._answer = event
        raise StopAsyncIteration

    async def answer(self) -> Answer:
        """Return the answer, whatever was read before. Raises what producing it raises, and UnusableResponse where
        there is none."""
        async with self:
            async for _ in self:
                pass
        if self._answer is None:
            raise UnusableResponse("the events of an answer ended without an answer")
        return self._answer

    def map_answer(self, change: Callable[[Answer], Awaitable[Answer]]) -> AnswerStream:
        """Return a stream whose answer is replaced by the result of `change`."""
        return AnswerStream(self._changed(change))

    async def _changed(self, change: Callable[[Answer], Awaitable[Answer]]) -> AsyncGenerator[AnswerEvent, None]:
        async with self:
            async for event in self:
                yield event
            yield await change(await self.answer())


def answer_stream(events: Callable[P, AsyncGenerator[AnswerEvent, None]]) -> Callable[P, AnswerStream]:
    """Decorate a generator of one answer's events, so that it returns an `AnswerStream`."""

    @wraps(events)
    def begin(*args: P.args, **kwargs: P.kwargs) -> AnswerStream:
        return AnswerStream(events(*args, **kwargs))

    return begin


# --- Stages ---------------------------------------------------------------------------------------


class Planner(Protocol):
    """The stage that decides how a message is answered."""

    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, translator: Translator = ENGLISH_TRANSLATOR
    ) -> Plan:
        """Decide how `text` is answered. Replies without a search are in the language of `translator`."""
        ...


class Retriever(Protocol):
    """The stage that finds passages."""

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        """Return the passages that `audience` may see and that fit `search`."""
        ...


SearchFunction = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""Searches for a text, within the asker's audience. Raises Unavailable."""


class Writer(Protocol):
    """The stage that drafts an answer."""

    def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        search: SearchFunction | None = None,
        seconds: float | None = None,
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | Usage | DraftEnd, None]:
        """Draft an answer sentence by sentence, then one DraftEnd. Passages found with `search` come before the
        sentences that rest on them. A Usage is the cost of the draft so far, estimated; none comes before the model
        has given something. The first sentence should come within `seconds`; a draft that could not begin in
        time ends at once. Raises Unavailable or UnusableResponse."""
        ...

    def kept_chunks(self, conversation: str) -> Sequence[str]:
        """Return the ids of the chunks that the next draft in the conversation should be given as well, since they are
        quick to read again."""
        ...

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[Mapping[int, DraftSentence], int]:
        """Rewrite the sentences of `draft` that are `refused`, which maps their numbers to reasons; return the new
        sentences by number and the tokens used. Sentences that should be dropped are missing. Never
        raises."""
        ...
