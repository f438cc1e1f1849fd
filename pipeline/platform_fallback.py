"""The fallback to a platform's own search where the documents do not answer; its results serve this answer alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pipeline.errors import CitewellError
from pipeline.ports import AnswerStream
from pipeline.values import Answer, AnswerOutcome, AnswerRequest, Audience, Retrieval, RetrievedChunk, SearchPlan

RespondFunction = Callable[[AnswerRequest, "StaticRetriever"], AnswerStream]
"""Answers a request from the passages of the retriever."""


@dataclass(frozen=True)
class StaticRetriever:
    """A retriever that returns given passages."""

    passages: tuple[RetrievedChunk, ...]

    async def retrieve(self, search: SearchPlan, audience: Audience) -> Retrieval:
        return Retrieval(passages=self.passages, nearest=self.passages)


PlatformSearchFunction = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""Searches the platform for a complete question. Raises the error that the search is refused with."""


def with_platform_fallback(
    request: AnswerRequest, stream: AnswerStream, search: PlatformSearchFunction, respond: RespondFunction
) -> AnswerStream:
    """Return `stream`, the answer to `request`, replaced by one from what `search` finds where the documents have none
    and that answers."""

    async def improve(answer: Answer) -> Answer:
        if not (answer.outcome is AnswerOutcome.NOT_FOUND and answer.standalone):
            return answer
        passages = await _search_or_nothing(search, answer.standalone)
        fallback = await respond(request, StaticRetriever(tuple(passages))).answer() if passages else None
        return (
            fallback if fallback and fallback.outcome is not AnswerOutcome.NOT_FOUND and fallback.sentences else answer
        )

    return stream.map_answer(improve)


async def _search_or_nothing(search: PlatformSearchFunction, question: str) -> Sequence[RetrievedChunk]:
    try:
        return await search(question)
    except CitewellError:
        return ()
