"""What delivering needs of Slack: the messages of a reply, and what one person alone is told.

A reply grows by `chat.startStream`, `appendStream`, `stopStream`. Slack ends a stream about five minutes after its
start, even in the middle of an append (python-slack-sdk 1859); whatever goes wrong with a stream, its message is
completed by `chat.update`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import structlog

from adapters.chat.hear import Remark
from adapters.chat.post.deliver import Standing
from adapters.chat.post.growth import Settle
from adapters.chat.reply.parts import File, Reply
from adapters.chat.words.handoff import Unsent
from adapters.chat.words.wishes import AboveAnswer
from adapters.slack.events.incoming import Me
from adapters.slack.parts.blocks import button, quoted, said, section
from adapters.slack.parts.footer import attached
from adapters.slack.parts.render import Post, fallback, line, posts, streamed
from adapters.slack.platform import SLACK
from adapters.slack.post.activity import Origin, Presence
from adapters.slack.post.private import SlackPrivate
from adapters.slack.post.reply import QUIET, SlackSender, delete, find, named
from adapters.slack.web import LIMITED, POST, Declined, Web, pages
from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import IncomingMessage, Manner, PersonId, Work


def told(post: Post, above: AboveAnswer, user: str) -> Post:
    """The first message of an answer, with who wanted it and why it comes now above it: they notice the mention."""
    heading, question = above
    return replace(
        post,
        header=(section(f"<@{user}> {heading}"), quoted(question)),
        text=fallback(f"{heading} {question}"),
    )


log = structlog.get_logger(__name__)

CLOCKS = 60.0
"""Seconds that ours and Slack's may differ."""


class Budget:
    """How many streams may still be opened within a minute."""

    def __init__(self, per_minute: int) -> None:
        self._opened: deque[float] = deque(maxlen=per_minute)

    def take(self) -> bool:
        """Count one stream, if there is room for it."""
        now = asyncio.get_running_loop().time()
        if len(self._opened) == self._opened.maxlen and (not self._opened or now - self._opened[0] < 60.0):
            return False
        self._opened.append(now)
        return True


class SlackStream:
    """One message that is being streamed. Nothing here raises: a stream that failed is only no longer `alive`."""

    def __init__(self, web: Web, channel: str, ts: str, shown: str, mark: dict[str, Any]) -> None:
        """`mark` is in the metadata of its end."""
        self._web = web
        self._channel = channel
        self.name = ts
        self._shown = shown
        self._mark = mark
        self.alive = True

    @classmethod
    async def open(cls, web: Web, origin: Origin, team: str, text: str, mark: dict[str, Any]) -> SlackStream:
        """Start a stream that shows `text`, now or not at all.

        Raises Declined, or Unavailable when it may or may not have started."""
        arguments = {"channel": origin.channel, "thread_ts": origin.thread, "markdown_text": text}
        recipient = {"recipient_team_id": team, "recipient_user_id": origin.user}
        started = await web.now("chat.startStream", **arguments, **recipient)
        return cls(web, origin.channel, str(started["ts"]), text, mark)

    async def show(self, text: str) -> None:
        """Append what `text` has more than what is shown."""
        added = text[len(self._shown) :]
        if added and self.alive and await self._tell("chat.appendStream", markdown_text=added):
            self._shown = text

    async def close(self, post: Post) -> bool:
        """End the stream as `post`; False when its message does not show exactly that and needs an update."""
        if not self.alive:
            return False
        if not post.markdown.startswith(self._shown):
            await self._tell("chat.stopStream", metadata=self._mark)
            return False
        rest = post.markdown[len(self._shown) :]
        more: dict[str, Any] = {"markdown_text": rest} if rest else {}
        return await self._tell("chat.stopStream", **more, blocks=list(post.footer), metadata=self._mark)

    async def _tell(self, method: str, **arguments: Any) -> bool:
        """Whether Slack took it; what it has no time for now does not end the stream."""
        try:
            await self._web.now(method, channel=self._channel, ts=self.name, **arguments)
        except Declined as declined:
            self.alive = declined.error == LIMITED
            return False
        except Unavailable:
            self.alive = False
            return False
        return True


class SlackReply(SlackSender):
    """The reply to one question: a `ReplySender`, and one of `Streams`."""

    withheld = False

    def __init__(self, web: Web, me: Me, work: Work, presence: Presence, budget: Budget) -> None:
        super().__init__(web, me, place(work.message), work.key)
        self.known = named(work.reference)
        self.place = f"<#{self._spot.channel}>"
        self._among = not SLACK.direct(work.message.conversation)
        self.patience = web.pace.patience
        self._presence = presence
        self._budget = budget

    def standing(self) -> Standing:
        return Standing(stoppable=self._among, attachable=bool(self._spot.thread))

    def working(self, words: Words, *, begun: bool) -> AbstractAsyncContextManager[Settle]:
        return self._presence.at(self._spot, words, hidden=self._spot.hidden)

    def line(self, text: str) -> Post:
        return line(text)

    def drawn(self, reply: Reply, above: AboveAnswer | None) -> list[Post]:
        first, *more = posts(reply)
        return [told(first, above, self._spot.user) if above else first, *more]

    def plainly(self, reply: Reply, above: AboveAnswer | None, *, begun: bool) -> list[Post]:
        """Slack takes all but files, if need be without its blocks."""
        return self.drawn(reply, above)

    def free(self) -> bool:
        return self._web.free(self._spot.channel) and self._budget.take()

    def streamed(self, reply: Reply) -> str:
        return streamed(reply)

    async def stream(self, text: str) -> SlackStream | None:
        try:
            stream = await SlackStream.open(self._web, self._spot, self._me.team, text, self.mark(0))
        except Declined:
            return None
        self._has_turn = False
        return stream

    async def attach(self, files: Sequence[File], *, again: bool) -> bool:
        held = await self._attached() if files and again else frozenset[str]()
        try:
            for file in files:
                if file.name not in held:
                    await self._web.upload(self._spot.channel, file.name, file.content, self._spot.thread)
        except Declined as declined:
            log.warning("slack_file_not_attached", instead="its text is posted", reason=str(declined))
            return False
        return True

    async def _attached(self) -> frozenset[str]:
        """The names of our files in the thread."""
        wanted: dict[str, Any] = {"channel": self._spot.channel, "ts": self._spot.thread, "oldest": self._spot.ts}
        return frozenset(
            [
                str(file.get("name"))
                async for page in pages(self._web, "conversations.replies", "messages", limit=200, **wanted)
                for message in page
                if message.get("user") == self._me.user
                for file in message.get("files") or ()
            ]
        )


class SlackPosts:
    """The `Posts` of one workspace."""

    def __init__(self, web: Web, me: Me, shared: Callable[[str], Awaitable[bool]]) -> None:
        """`shared`: whether other organisations read a channel."""
        self._web = web
        self._me = me
        self._shared = shared
        self._presence = Presence(web)
        self._budget = Budget(web.pace.streams)

    def reply(self, work: Work, receipt: Receipt) -> SlackReply:
        return SlackReply(self._web, self._me, work, self._presence, self._budget)

    def private(self, work: Work) -> SlackPrivate:
        return SlackPrivate(self._web, work.message)

    async def find(self, work: Work) -> str | None:
        return ",".join(await find(self._web, self._me, place(work.message), work.key)) or None

    async def delete(self, channel: str, reference: str) -> None:
        for ts in reference.split(","):
            await delete(self._web, channel, ts)

    async def tell(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        user = message.asker.user
        await self._web.turn(user, begun=True)
        await self._web.call(POST, channel=user, text=text, **QUIET)

    async def show_alone(self, message: IncomingMessage, reply: Reply) -> None:
        origin = place(message)
        for post in posts(reply):
            await whisper(self._web, origin.channel, origin.thread, origin.user, post.text, blocks=post.blocks)

    async def shared(self, channel: str) -> bool:
        return await self._shared(channel)

    def adds(self, message: IncomingMessage) -> str:
        return attached(message)


class SlackTells:
    """The port `Tells`: alone, in the thread, and without keeping Slack waiting."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._telling: set[asyncio.Task[None]] = set()

    async def tell(self, message: IncomingMessage, text: str) -> None:
        where = message.conversation
        self._at_leisure(whisper(self._web, where.channel, where.thread, message.asker.user, text))

    async def offer(self, remark: Remark, unsent: Unsent) -> None:
        user, key, thread = PersonId.parse(remark.author).user, remark.key, unsent.notice.message
        buttons = [button(label, action, f"{thread} {key.message}") for label, action in unsent.buttons]
        row = [{"type": "actions", "elements": buttons}] if buttons else []
        blocks = [said(unsent.text), *row]
        self._at_leisure(whisper(self._web, key.channel, thread, user, unsent.text, blocks=blocks))

    def _at_leisure(self, whispered: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._attempt(whispered))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _attempt(self, whispered: Coroutine[Any, Any, None]) -> None:
        try:
            await whispered
        except CitewellError as error:
            log.warning("slack_not_whispered", reason=str(error))


async def whisper(web: Web, channel: str, thread: str, user: str, text: str, **more: object) -> None:
    """Tell one person alone, in a thread."""
    where = {"channel": channel, "user": user, "thread_ts": thread}
    await web.call("chat.postEphemeral", **where, text=text, parse="none", **more)


def place(message: IncomingMessage) -> Origin:
    """Where the reply to `message` belongs; what is awaited was said by nobody, but at a time."""
    awaited = message.manner is Manner.AWAITED
    return Origin(
        channel=message.conversation.channel,
        thread=message.conversation.thread,
        ts=f"{message.sent_at.timestamp() - CLOCKS:.6f}" if awaited else message.place.message,
        user=message.asker.user,
        hidden=message.manner.unannounced,
    )
