"""Where the documents do not answer, a platform's own search may: its messages as passages, for one answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.chat import before
from bot.documents.indexing import Indexer
from bot.documents.serving import at_this_moment
from pipeline.elsewhere import Given, or_elsewhere
from pipeline.find.scale import Scale
from pipeline.ingest.unit_texts import unit_texts
from pipeline.plan.smalltalk import small_talk
from pipeline.ports import AnswerStream, PlatformAdapter, Searches
from pipeline.respond import Responder
from pipeline.unasked import asks
from pipeline.values import LIVE, Document, IncomingMessage, Manner, Request, RetrievedChunk, Said, replace

BY_WORDS = 0.5
"""The score of what the platform found where there is no embedder to compare it with the question."""


@dataclass(frozen=True)
class LiveSearch:
    indexer: Indexer
    responder: Responder
    scale: Callable[[], Awaitable[Scale]]
    """How vectors of the embedder are compared."""

    def beside(
        self,
        stream: AnswerStream,
        request: Request,
        message: IncomingMessage,
        adapter: PlatformAdapter,
    ) -> AnswerStream:
        """`stream`, the answer to `request`, or where nothing is found one from what people said where everyone inside
        may read it, if nobody outside reads the reply."""
        unfit = request.audience.external or message.manner is Manner.AWAITED
        if unfit or not message.action_token or not isinstance(adapter, Searches):
            return stream

        async def look(question: str) -> Sequence[RetrievedChunk]:
            return await self.passages(question, await adapter.search(message, question))

        def respond(request: Request, given: Given) -> AnswerStream:
            return replace(self.responder, retriever=given, library=None).respond(request)

        return or_elsewhere(request, stream, look, respond)

    async def passages(self, question: str, said: Sequence[Said]) -> list[RetrievedChunk]:
        """Each message as a passage, with how near it is to the question, the nearest first."""
        embedder = at_this_moment(self.indexer.embedder)
        asked, scale = await embedder.embed_question(question) if embedder and said else None, await self.scale()
        found = []
        for one in (one for one in said if not (small_talk(one.text) or asks(one.text))):
            parsed = before.parsed([one], _document(one))
            for chunk in self.indexer.splitter.split(parsed):
                near: tuple[float, ...] = ()
                if embedder and asked is not None:
                    vectors = await embedder.embed(unit_texts(chunk, parsed.document.title))
                    near = tuple(scale.compared(asked, vectors).tolist())
                score = max(near, default=BY_WORDS)
                found.append(RetrievedChunk(chunk=chunk, document=parsed.document, score=score, unit_scores=near))
        return sorted(found, key=lambda one: one.score, reverse=True)


def _document(said: Said) -> Document:
    return Document(
        id=f"{LIVE}:{said.channel}:{said.message}",
        collection=str(said.channel),
        source=LIVE,
        filename=f"#{said.title}" if said.title else str(said.channel),
        title="",
        url=said.url,
        metadata={"updated": f"{said.at:%Y-%m-%d}"},
    )
