"""What of a message can be added to the documents, and where what came of it is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

from adapters.chat.press.knowledge import FROM_MENU, Addition
from adapters.chat.words.knowledge import Thing
from adapters.slack.audience import SlackAudiences
from adapters.slack.events.files import Files
from adapters.slack.parts.render import Post
from adapters.slack.post.notices import permalink
from adapters.slack.post.reply import QUIET
from adapters.slack.press.adding import Choice, chosen, post
from adapters.slack.press.pressed import SlackPress
from adapters.slack.press.presser import SlackPresser
from adapters.slack.web import CANNOT_POST, POST, Declined, Web
from pipeline.ports import Sent


class _Where(NamedTuple):
    """Where a message of ours is, or goes."""

    channel: str
    ts: str
    """Of the thread, before it is posted."""


class SlackShelf:
    """The port `Shelf`: the message stands in the shortcut, and in what the button and the form carry."""

    def __init__(self, web: Web, audiences: SlackAudiences, files: Files) -> None:
        self._web = web
        self._audiences = audiences
        self._files = files

    async def offered(self, by: SlackPresser) -> SlackOffered:
        menu = by.pressed.action == FROM_MENU
        choice = chosen(by.spot.channel, by.body["message"]) if menu else Choice.parse(by.pressed.about)
        return SlackOffered(self._web, self._audiences, self._files, choice, by.spot)


class SlackOffered:
    """The port `Offered`."""

    def __init__(self, web: Web, audiences: SlackAudiences, files: Files, choice: Choice, spot: SlackPress) -> None:
        self._web = web
        self._audiences = audiences
        self._files = files
        self._choice = choice
        self._spot = spot

    @property
    def things(self) -> Sequence[Thing]:
        return self._choice.things

    @property
    def carried(self) -> str:
        return str(self._choice)

    async def sent(self, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        file = await self._files.find(thing.file)
        link = file.link or await permalink(self._web, self._choice.channel, self._choice.ts)
        return Sent(file.name, link, partial(self._files.download, file))

    async def begin(self, reading: str, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Below the message; alone to whoever adds it also where the bot is no member, or strangers read."""
        there = await self._post(post(Addition(reading)), alone=alone)

        async def put(addition: Addition) -> None:
            made = post(addition)
            where = {"channel": there.channel, "ts": there.ts}
            await self._web.call("chat.update", **where, text=made.text, blocks=made.blocks, **QUIET)

        return put

    async def _post(self, made: Post, *, alone: bool) -> _Where:
        directly = _Where(self._spot.user_id, "")
        if not self._spot.direct and (alone or await self._audiences.shared(self._spot.channel)):
            return await self._send(directly, made)
        try:
            return await self._send(_Where(self._choice.channel, self._choice.thread), made)
        except Declined as declined:
            if declined.error not in CANNOT_POST:
                raise
            return await self._send(directly, made)

    async def _send(self, there: _Where, made: Post) -> _Where:
        await self._web.turn(there.channel, begun=True)
        where = {"channel": there.channel, **({"thread_ts": there.ts} if there.ts else {})}
        posted = await self._web.call(POST, **where, text=made.text, blocks=made.blocks, **QUIET)
        return _Where(str(posted["channel"]), str(posted["ts"]))
