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
    """Answers questions of the API, and keeps the answers that have an idempotency key."""

    def __init__(self, reading: QueryService, replies: IdempotencyStore) -> None:
        self._reading = reading
        self._replies = replies
        self._under_way: set[asyncio.Task[None]] = set()

    async def stream(self, caller: Caller, asked: AskRequest, key: str) -> EventStream:
        """Return the events of the answer as it is made. With an idempotency key, the same request within a day gets
        the same answer, for as long as the caller may see all of it; that answer is completed and kept even if its
        caller hangs up. Raise Refused for a key that came with another request, and Busy while its request is still
        being answered. The events raise what answering raises."""
        if not key:
            return self._made(caller, asked)
        name, digest = f"{caller.id} {key}", hashlib.sha256(asked.model_dump_json().encode()).hexdigest()
        known = await self._replies.begin(name, digest)
        if known and await self._reading.can_view(json.loads(known)["answer"]["id"], caller.audience):
            return _again(known)
        heard: asyncio.Queue[ServerSentEvent | None] = asyncio.Queue()
        task = asyncio.create_task(self._keep(name, self._made(caller, asked), heard), name="api answer")
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return _followed(heard, task)

    async def is_own_answer(self, caller: Caller, answer_id: str) -> bool:
        """Return True where an answer with this id is the caller's."""
        return await self._reading.is_saved(answer_id, caller.id)

    async def close(self) -> None:
        """Cancel what is still being answered; its keys may be used again."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still follows raises it

    async def _keep(self, name: str, events: EventStream, heard: asyncio.Queue[ServerSentEvent | None]) -> None:
        """Keep the answer before it is sent; without an answer the key becomes free again."""
        kept = False
        try:
            async with aclosing(events):
                async for event in events:
                    if event.name == "answer":
                        await self._replies.complete(name, event.data)
                        kept = True
                    heard.put_nowait(event)
        finally:
            try:
                if not kept:
                    await self._replies.abandon(name)
            finally:
                heard.put_nowait(None)

    async def _made(self, caller: Caller, asked: AskRequest) -> EventStream:
        """Answer the question. A conversation belongs to its caller: the same id of another caller is another
        conversation."""
        conversation = asked.conversation or secrets.token_hex(16)
        request = AnswerRequest(
            text=asked.question,
            audience=caller.audience,
            conversation=ConversationId(platform=PLATFORM, space=caller.id, channel=conversation),
            author=caller.id,
            style=asked.style,
            format=asked.format,
            citation_style=asked.citations,
            language=asked.language or "",
        )
        async with self._reading.respond(request) as stream:
            async for event in stream:
                match event:
                    case ProgressEvent():
                        yield ServerSentEvent("progress", event.model_dump_json())
                    case SentenceEvent():
                        yield _sentence(event.sentence, event.preface)
            answered = AskResponse(conversation=conversation, answer=plain_answer(await stream.answer()))
            yield ServerSentEvent("answer", answered.model_dump_json(exclude=EXCLUDED_FIELDS))


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


def _sentence(sentence: CitedSentence, preface: str) -> ServerSentEvent:
    said = SentenceEvent(sentence=plain_sentence(sentence), preface=neutralize_markup(preface))
    return ServerSentEvent("sentence", said.model_dump_json())


async def _again(known: str) -> EventStream:
    """Yield the events of an answer that was given before."""
    answered = json.loads(known)["answer"]
    for number, sentence in enumerate(answered["sentences"]):
        preface = "" if number else answered["preface"]
        yield ServerSentEvent("sentence", json.dumps({"sentence": sentence, "preface": preface}, ensure_ascii=False))
    yield ServerSentEvent("answer", known)


async def _followed(heard: asyncio.Queue[ServerSentEvent | None], answering: asyncio.Task[None]) -> EventStream:
    while (event := await heard.get()) is not None:
        yield event
    await asyncio.wait({answering})
    if answering.cancelled():
        raise Unavailable("api", "it is closed")
    answering.result()
