"""Where the documents do not answer, what people said may: found by the platform itself, for this answer alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pipeline.errors import CitewellError
from pipeline.ports import AnswerStream
from pipeline.values import Answer, AnswerOutcome, AnswerRequest, Audience, Retrieval, RetrievedChunk, SearchPlan

RespondFunction = Callable[[AnswerRequest, "StaticRetriever"], AnswerStream]
"""The walk over these passages, and no others."""


@dataclass(frozen=True)
class StaticRetriever:
    """The port `Retriever` over passages that are there."""

    passages: tuple[RetrievedChunk, ...]

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        return Retrieval(passages=self.passages, nearest=self.passages)


PlatformSearchFunction = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""What is found for a question that is complete by itself. Raises what the search is refused with."""


def with_platform_fallback(
    request: AnswerRequest, stream: AnswerStream, look: PlatformSearchFunction, respond: RespondFunction
) -> AnswerStream:
    """`stream`, the answer to `request`; where nothing is found, an answer from what `look` finds, if that answers."""

    async def improved(answer: Answer) -> Answer:
        if not (answer.outcome is AnswerOutcome.NOT_FOUND and answer.standalone):
            return answer
        found = await _found(look, answer.standalone)
        other = await respond(request, StaticRetriever(tuple(found))).answer() if found else None
        return other if other and other.outcome is not AnswerOutcome.NOT_FOUND and other.sentences else answer

    return stream.map_answer(improved)


async def _found(look: PlatformSearchFunction, question: str) -> Sequence[RetrievedChunk]:
    try:
        return await look(question)
    except CitewellError:
        return ()
