"""Answers of the API: at once or as a stream, and once for each idempotency key."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import NamedTuple

from adapters.api.problems import to_problem
from adapters.api.schemas import AskRequest, AskResponse
from adapters.http.auth import Caller
from pipeline.compose.plain_text import plain_answer, plain_sentence
from pipeline.errors import Unavailable
from pipeline.ports import IdempotencyStore, QueryService
from pipeline.values import AnswerRequest, CitedSentence, ConversationId, ProgressEvent, SentenceEvent
from pipeline.words.links import neutralize_markup

PLATFORM = "api"
EXCLUDED_FIELDS = {"answer": {"claims", "ungrounded_claims"}}
"""Fields left out of responses: sentences that the check rejected are for the operator alone."""


class ServerSentEvent(NamedTuple):
    """An event sent while a question is answered; the last is `answer`, with the body of a response."""

    name: str
    data: str
    """JSON in one line."""

    def __str__(self) -> str:
        return f"event: {self.name}\ndata: {self.data}\n\n"


EventStream = AsyncGenerator[ServerSentEvent, None]


class ApiAnswers:
    """The answering of questions of the API, with a store for the answers that have an idempotency key."""

    def __init__(self, queries: QueryService, idempotency: IdempotencyStore) -> None:
        self._queries = queries
        self._idempotency = idempotency
        self._tasks: set[asyncio.Task[None]] = set()

    async def stream(self, caller: Caller, request: AskRequest, key: str) -> EventStream:
        """Return the events of the answer as it is made. With an idempotency key, the same request within a day gets
        the same answer, for as long as the caller may see all of it; that answer is completed and kept even if its
        caller hangs up. Raise Refused for a key that came with another request, and Busy while its request is still
        being answered. The events raise what answering raises."""
        if not key:
            return self._answer_events(caller, request)
        name, digest = f"{caller.id} {key}", hashlib.sha256(request.model_dump_json().encode()).hexdigest()
        stored = await self._idempotency.begin(name, digest)
        if stored and await self._queries.can_view(json.loads(stored)["answer"]["id"], caller.audience):
            return _replay(stored)
        queue: asyncio.Queue[ServerSentEvent | None] = asyncio.Queue()
        task = asyncio.create_task(
            self._store_answer(name, self._answer_events(caller, request), queue), name="api answer"
        )
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)
        return _follow(queue, task)

    async def is_own_answer(self, caller: Caller, answer_id: str) -> bool:
        """Return True where an answer with this id is the caller's."""
        return await self._queries.is_saved(answer_id, caller.id)

    async def close(self) -> None:
        """Cancel the answers under way; their keys may be used again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still follows raises it

    async def _store_answer(self, name: str, events: EventStream, queue: asyncio.Queue[ServerSentEvent | None]) -> None:
        """Keep the answer before it is sent; without an answer the key becomes free again."""
        stored = False
        try:
            async with aclosing(events):
                async for event in events:
                    if event.name == "answer":
                        await self._idempotency.complete(name, event.data)
                        stored = True
                    queue.put_nowait(event)
        finally:
            try:
                if not stored:
                    await self._idempotency.abandon(name)
            finally:
                queue.put_nowait(None)

    async def _answer_events(self, caller: Caller, request: AskRequest) -> EventStream:
        """Answer the question. A conversation belongs to its caller: the same id of another caller is another
        conversation."""
        conversation = request.conversation or secrets.token_hex(16)
        answer_request = AnswerRequest(
            text=request.question,
            audience=caller.audience,
            conversation=ConversationId(platform=PLATFORM, space=caller.id, channel=conversation),
            author=caller.id,
            style=request.style,
            format=request.format,
            citation_style=request.citations,
            language=request.language or "",
        )
        async with self._queries.respond(answer_request) as stream:
            async for event in stream:
                match event:
                    case ProgressEvent():
                        yield ServerSentEvent("progress", event.model_dump_json())
                    case SentenceEvent():
                        yield _sentence_event(event.sentence, event.preface)
            response = AskResponse(conversation=conversation, answer=plain_answer(await stream.answer()))
            yield ServerSentEvent("answer", response.model_dump_json(exclude=EXCLUDED_FIELDS))


async def collect_answer(events: EventStream) -> str:
    """Return the body of the answer at the end of `events`; raise what they raise."""
    async with aclosing(events):
        async for event in events:
            last = event
    return last.data


async def encode_events(events: EventStream) -> AsyncGenerator[str, None]:
    """Encode server-sent events. An error becomes the last of them, `error` with a problem."""
    async with aclosing(events):
        try:
            async for event in events:
                yield str(event)
        except Exception as error:  # noqa: BLE001 - the status was sent before: only an event can still tell
            yield str(ServerSentEvent("error", to_problem(error)[0].model_dump_json()))


def _sentence_event(sentence: CitedSentence, preface: str) -> ServerSentEvent:
    event = SentenceEvent(sentence=plain_sentence(sentence), preface=neutralize_markup(preface))
    return ServerSentEvent("sentence", event.model_dump_json())


async def _replay(stored: str) -> EventStream:
    """Yield the events of an answer that was given before."""
    answer = json.loads(stored)["answer"]
    for number, sentence in enumerate(answer["sentences"]):
        preface = "" if number else answer["preface"]
        yield ServerSentEvent("sentence", json.dumps({"sentence": sentence, "preface": preface}, ensure_ascii=False))
    yield ServerSentEvent("answer", stored)


async def _follow(queue: asyncio.Queue[ServerSentEvent | None], answering: asyncio.Task[None]) -> EventStream:
    while (event := await queue.get()) is not None:
        yield event
    await asyncio.wait({answering})
    if answering.cancelled():
        raise Unavailable("api", "it is closed")
    answering.result()
