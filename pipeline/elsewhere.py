"""Where the documents do not answer, what people said may: found by the platform itself, for this answer alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.errors import CitewellError
from pipeline.values import Answer, Audience, Event, Outcome, Request, Retrieval, RetrievedChunk, Search

Respond = Callable[[Request, "Given"], AsyncGenerator[Event, None]]
"""The walk over these passages, and no others."""


@dataclass(frozen=True)
class Given:
    """The port `Retriever` over passages that are there."""

    passages: tuple[RetrievedChunk, ...]

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        return Retrieval(passages=self.passages, nearest=self.passages)


Look = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""What is found for a question that is complete by itself. Raises what the search is refused with."""


async def or_elsewhere(
    request: Request, events: AsyncGenerator[Event, None], look: Look, respond: Respond
) -> AsyncGenerator[Event, None]:
    """`events`, the answer to `request`; where nothing is found, those of an answer from what `look` finds, if that
    answers."""
    async with aclosing(events):
        async for event in events:
            if not (isinstance(event, Answer) and event.outcome is Outcome.NOT_FOUND and event.standalone):
                yield event
                continue
            found = await _found(look, event.standalone)
            other = await _answer(respond(request, Given(tuple(found)))) if found else None
            yield other if other and other.outcome is not Outcome.NOT_FOUND and other.sentences else event


async def _found(look: Look, question: str) -> Sequence[RetrievedChunk]:
    try:
        return await look(question)
    except CitewellError:
        return ()


async def _answer(events: AsyncGenerator[Event, None]) -> Answer | None:
    answer = None
    async with aclosing(events):
        async for event in events:
            answer = event if isinstance(event, Answer) else answer
    return answer
