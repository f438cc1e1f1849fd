"""Where the documents do not answer, what people said may: found by the platform itself, for this answer alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pipeline.errors import CitewellError
from pipeline.ports import AnswerStream
from pipeline.values import Answer, Audience, Outcome, Request, Retrieval, RetrievedChunk, Search

Respond = Callable[[Request, "Given"], AnswerStream]
"""The walk over these passages, and no others."""


@dataclass(frozen=True)
class Given:
    """The port `Retriever` over passages that are there."""

    passages: tuple[RetrievedChunk, ...]

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        return Retrieval(passages=self.passages, nearest=self.passages)


Look = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""What is found for a question that is complete by itself. Raises what the search is refused with."""


def or_elsewhere(request: Request, stream: AnswerStream, look: Look, respond: Respond) -> AnswerStream:
    """`stream`, the answer to `request`; where nothing is found, an answer from what `look` finds, if that answers."""

    async def improved(answer: Answer) -> Answer:
        if not (answer.outcome is Outcome.NOT_FOUND and answer.standalone):
            return answer
        found = await _found(look, answer.standalone)
        other = await respond(request, Given(tuple(found))).answer() if found else None
        return other if other and other.outcome is not Outcome.NOT_FOUND and other.sentences else answer

    return stream.then(improved)


async def _found(look: Look, question: str) -> Sequence[RetrievedChunk]:
    try:
        return await look(question)
    except CitewellError:
        return ()
