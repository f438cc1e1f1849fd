"""Live search: a platform's own search as the source of one answer, when the documents have none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.chat import history
from bot.documents.indexing import Indexer
from bot.documents.reembedding import active_embedder
from pipeline.auto_answers import looks_like_question
from pipeline.find.calibration import ScoreCalibration
from pipeline.ingest.embedding_inputs import embedding_texts
from pipeline.plan.smalltalk import detect_small_talk
from pipeline.platform_fallback import StaticRetriever, with_platform_fallback
from pipeline.ports import AnswerStream, PlatformAdapter, SupportsSearch
from pipeline.respond import Responder
from pipeline.values import (
    LIVE_SOURCE,
    AnswerRequest,
    ChannelMessage,
    Document,
    IncomingMessage,
    MessageTrigger,
    RetrievedChunk,
    replace,
)

WORD_MATCH_SCORE = 0.5
"""The score of a platform's hit when there is no embedder to compare it with the question."""


@dataclass(frozen=True)
class LiveSearch:
    indexer: Indexer
    responder: Responder
    scale: Callable[[], Awaitable[ScoreCalibration]]
    """Calibrates scores of the embedder's vectors."""

    def with_fallback(
        self,
        stream: AnswerStream,
        request: AnswerRequest,
        message: IncomingMessage,
        adapter: PlatformAdapter,
    ) -> AnswerStream:
        """Return `stream`, the answer to `request`, with a fallback to the platform's search.

        If nothing is found, the answer comes from messages that everyone inside may read, unless outsiders read the
        reply.
        """
        unfit = request.audience.external or message.manner is MessageTrigger.AWAITED
        if unfit or not message.action_token or not isinstance(adapter, SupportsSearch):
            return stream

        async def look(question: str) -> Sequence[RetrievedChunk]:
            return await self.rank_messages(question, await adapter.search(message, question))

        def respond(request: AnswerRequest, retriever: StaticRetriever) -> AnswerStream:
            return replace(self.responder, retriever=retriever, library=None).respond(request)

        return with_platform_fallback(request, stream, look, respond)

    async def rank_messages(self, question: str, messages: Sequence[ChannelMessage]) -> list[RetrievedChunk]:
        """Return each message as a passage, with its nearness to the question, the nearest first."""
        embedder = active_embedder(self.indexer.embedder)
        question_vector, calibration = (
            await embedder.embed_question(question) if embedder and messages else None,
            await self.scale(),
        )
        passages = []
        for message in (
            message
            for message in messages
            if not (detect_small_talk(message.text) or looks_like_question(message.text))
        ):
            parsed = history.parse_thread([message], _document(message))
            for chunk in self.indexer.splitter.split(parsed):
                unit_scores: tuple[float, ...] = ()
                if embedder and question_vector is not None:
                    vectors = await embedder.embed(embedding_texts(chunk, parsed.document.title))
                    unit_scores = tuple(calibration.question_cosines(question_vector, vectors).tolist())
                score = max(unit_scores, default=WORD_MATCH_SCORE)
                passages.append(
                    RetrievedChunk(chunk=chunk, document=parsed.document, score=score, unit_scores=unit_scores)
                )
        return sorted(passages, key=lambda passage: passage.score, reverse=True)


def _document(message: ChannelMessage) -> Document:
    return Document(
        id=f"{LIVE_SOURCE}:{message.channel}:{message.message}",
        collection=str(message.channel),
        source=LIVE_SOURCE,
        filename=f"#{message.title}" if message.title else str(message.channel),
        title="",
        url=message.url,
        metadata={"updated": f"{message.at:%Y-%m-%d}"},
    )
