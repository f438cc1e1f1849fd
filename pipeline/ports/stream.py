"""An answer as it comes: producers yield its events, consumers read them, and both do it in one way; and the stages
before it."""

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
    WritingBrief,
)

# --- An answer as it comes ------------------------------------------------------------------------

P = ParamSpec("P")


class AnswerStream:
    """What comes before an `Answer` for whoever iterates, and the answer for whoever asks for it.

    Nothing happens before it is read. As a context it is closed at the end, in the task that leaves it: whoever stops
    early stops the writing."""

    def __init__(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        """`events` end with exactly one `Answer`."""
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
        """The answer, whatever was read before. Raises what making it raises, and Unusable where there is none."""
        async with self:
            async for _ in self:
                pass
        if self._answer is None:
            raise UnusableResponse("the events of an answer ended without an answer")
        return self._answer

    def map_answer(self, change: Callable[[Answer], Awaitable[Answer]]) -> AnswerStream:
        """The same with what `change` makes of the answer."""
        return AnswerStream(self._changed(change))

    async def _changed(self, change: Callable[[Answer], Awaitable[Answer]]) -> AsyncGenerator[AnswerEvent, None]:
        async with self:
            async for event in self:
                yield event
            yield await change(await self.answer())


def answer_stream(events: Callable[P, AsyncGenerator[AnswerEvent, None]]) -> Callable[P, AnswerStream]:
    """For generators of the events of one answer: what they make is read as an `AnswerStream`."""

    @wraps(events)
    def begin(*args: P.args, **kwargs: P.kwargs) -> AnswerStream:
        return AnswerStream(events(*args, **kwargs))

    return begin


# --- Stages of the walk that there is more than one of --------------------------------------------


class Planner(Protocol):
    async def plan(
        self, text: str, conversation: Conversation, audience: Audience, words: Translator = ENGLISH_TRANSLATOR
    ) -> Plan:
        """`words` say what is said without a search."""
        ...


class Retriever(Protocol):
    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval: ...


SearchFunction = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""Searches for a text, within the asker's audience. Raises Unavailable."""


class Writer(Protocol):
    def write(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        search: SearchFunction | None = None,
    ) -> AsyncGenerator[DraftSentence | AdditionalPassages | DraftEnd, None]:
        """Draft an answer sentence by sentence, then one Finished. What was found with `look` comes before what rests
        on it. Raises Unavailable or Unusable."""
        ...

    async def rewrite(
        self,
        brief: WritingBrief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[DraftSentence],
        refused: Mapping[int, str],
    ) -> tuple[Mapping[int, DraftSentence], int]:
        """Write the sentences of `draft` again that are `refused`, by their number, and why; with the tokens it cost.
        Those that are to be left out are. Never raises."""
        ...
