"""A question over the API: answered at once or as it comes, and once for each idempotency key."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import NamedTuple

from adapters.api.problems import problem_of
from adapters.api.shapes import Answered, Asked
from adapters.http.caller import Caller
from pipeline.compose.plain import plain_answer, plain_sentence
from pipeline.errors import Unavailable
from pipeline.ports import Reading, Replies
from pipeline.values import CitedSentence, ConversationId, Progress, Request, Written
from pipeline.words.links import plain

PLATFORM = "api"
HIDDEN = {"answer": {"claims", "ungrounded_claims"}}
"""What the check dropped is for whoever runs it: nobody is to show it."""


class Event(NamedTuple):
    """What a program is sent while a question is answered; the last is `answer`, with the body of an answer."""

    name: str
    data: str
    """JSON in one line."""

    def __str__(self) -> str:
        return f"event: {self.name}\ndata: {self.data}\n\n"


Events = AsyncGenerator[Event, None]


class Asking:
    def __init__(self, reading: Reading, replies: Replies) -> None:
        self._reading = reading
        self._replies = replies
        self._under_way: set[asyncio.Task[None]] = set()

    async def events(self, caller: Caller, asked: Asked, key: str) -> Events:
        """What is sent of the answer, as it comes. With an idempotency key, the same request within a day is answered
        with the same, for as long as the caller may see all of it; its answer is made to the end and kept, even if
        whoever asked hangs up.

        Raises Refused for a key that came with another request, and Busy while it is still being answered; the events
        raise what answering raises."""
        if not key:
            return self._made(caller, asked)
        name, digest = f"{caller.id} {key}", hashlib.sha256(asked.model_dump_json().encode()).hexdigest()
        known = await self._replies.begin(name, digest)
        if known and await self._reading.shown(json.loads(known)["answer"]["id"], caller.audience):
            return _again(known)
        heard: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._keep(name, self._made(caller, asked), heard), name="api answer")
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return _followed(heard, task)

    async def gave(self, caller: Caller, answer_id: str) -> bool:
        """Whether an answer of that id is theirs."""
        return await self._reading.kept(answer_id, caller.id)

    async def close(self) -> None:
        """Give up what is still being answered; its keys may be used again."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still follows raises it

    async def _keep(self, name: str, events: Events, heard: asyncio.Queue[Event | None]) -> None:
        """Keep the answer before it is told; without one the key is free again."""
        kept = False
        try:
            async with aclosing(events):
                async for event in events:
                    if event.name == "answer":
                        await self._replies.answered(name, event.data)
                        kept = True
                    heard.put_nowait(event)
        finally:
            try:
                if not kept:
                    await self._replies.forgone(name)
            finally:
                heard.put_nowait(None)

    async def _made(self, caller: Caller, asked: Asked) -> Events:
        """A conversation is its caller's: the same id of another caller is another conversation."""
        conversation = asked.conversation or secrets.token_hex(16)
        request = Request(
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
                    case Progress():
                        yield Event("progress", event.model_dump_json())
                    case Written():
                        yield _sentence(event.sentence, event.preface)
            answered = Answered(conversation=conversation, answer=plain_answer(await stream.answer()))
            yield Event("answer", answered.model_dump_json(exclude=HIDDEN))


async def answer(events: Events) -> str:
    """The body of the answer that `events` end with; raises what they raise."""
    async with aclosing(events):
        async for event in events:
            last = event
    return last.data


async def stream(events: Events) -> AsyncGenerator[str, None]:
    """Server-sent events; what fails is the last of them, `error` with a problem."""
    async with aclosing(events):
        try:
            async for event in events:
                yield str(event)
        except Exception as error:  # noqa: BLE001 - the status was sent before: only an event can still tell
            yield str(Event("error", problem_of(error)[0].model_dump_json()))


def _sentence(sentence: CitedSentence, preface: str) -> Event:
    said = Written(sentence=plain_sentence(sentence), preface=plain(preface))
    return Event("sentence", said.model_dump_json())


async def _again(known: str) -> Events:
    """The events of an answer that was given before."""
    answered = json.loads(known)["answer"]
    for number, sentence in enumerate(answered["sentences"]):
        preface = "" if number else answered["preface"]
        yield Event("sentence", json.dumps({"sentence": sentence, "preface": preface}, ensure_ascii=False))
    yield Event("answer", known)


async def _followed(heard: asyncio.Queue[Event | None], answering: asyncio.Task[None]) -> Events:
    while (event := await heard.get()) is not None:
        yield event
    await asyncio.wait({answering})
    if answering.cancelled():
        raise Unavailable("api", "it is closed")
    answering.result()
