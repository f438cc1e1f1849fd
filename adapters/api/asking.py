"""A question over the API: answered at once or as it comes, and once for each idempotency key."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from adapters.api.shapes import Answered, Asked
from adapters.http.caller import Caller
from pipeline.ports import Reading, Replies
from pipeline.values import Answer, ConversationId, Event, Progress, Request

PLATFORM = "api"
HIDDEN = {"answer": {"claims", "ungrounded_claims"}}
"""What the check dropped is for whoever runs it: nobody is to show it."""


def body_of(answered: Answered) -> str:
    return answered.model_dump_json(exclude=HIDDEN)


class Asking:
    def __init__(self, reading: Reading, replies: Replies) -> None:
        self._reading = reading
        self._replies = replies

    async def answer(self, caller: Caller, asked: Asked, key: str) -> str:
        """The body of the answer. With an idempotency key, the same request within a day is answered with the same, for
        as long as the caller may see all of it.

        Raises Refused for a key that came with another request, and Busy while it is still being answered."""
        if not key:
            return await self._made(caller, asked)
        name, digest = f"{caller.id} {key}", hashlib.sha256(asked.model_dump_json().encode()).hexdigest()
        known = await self._replies.begin(name, digest)
        if known and await self._reading.shown(json.loads(known)["answer"]["id"], caller.audience):
            return known
        try:
            body = await self._made(caller, asked)
        except BaseException:
            await self._replies.forgone(name)
            raise
        await self._replies.answered(name, body)
        return body

    async def _made(self, caller: Caller, asked: Asked) -> str:
        conversation = asked.conversation or secrets.token_hex(16)
        async with aclosing(self._events(caller, asked, conversation)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    answer = event
        return body_of(Answered(conversation=conversation, answer=answer))

    async def stream(self, caller: Caller, asked: Asked) -> AsyncIterator[str]:
        """Server-sent events: `progress` with a stage, `sentence` for each as soon as it is checked, and `answer`."""
        conversation = asked.conversation or secrets.token_hex(16)
        async with aclosing(self._events(caller, asked, conversation)) as events:
            async for event in events:
                match event:
                    case Answer():
                        yield _event("answer", body_of(Answered(conversation=conversation, answer=event)))
                    case Progress():
                        yield _event("progress", event.model_dump_json())
                    case _:
                        yield _event("sentence", event.model_dump_json())

    async def gave(self, caller: Caller, answer_id: str) -> bool:
        """Whether an answer of that id is theirs."""
        return await self._reading.kept(answer_id, caller.id)

    def _events(self, caller: Caller, asked: Asked, conversation: str) -> AsyncGenerator[Event, None]:
        """A conversation is its caller's: the same id of another caller is another conversation."""
        return self._reading.respond(
            Request(
                text=asked.question,
                audience=caller.audience,
                conversation=ConversationId(platform=PLATFORM, space=caller.id, channel=conversation),
                author=caller.id,
                style=asked.style,
                format=asked.format,
                citation_style=asked.citations,
                language=asked.language or "",
            )
        )


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {json.dumps(json.loads(data), ensure_ascii=False)}\n\n"
