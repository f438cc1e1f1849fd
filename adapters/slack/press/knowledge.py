"""What of a message can be added to the documents, and where what came of it is said."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple
from uuid import uuid4

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition
from adapters.chat.reply import cut
from adapters.chat.words.knowledge import MOST, Thing
from adapters.slack.audience import SlackAudiences
from adapters.slack.events.files import Files
from adapters.slack.events.incoming import Body
from adapters.slack.platform import SLACK
from adapters.slack.post.notices import permalink
from adapters.slack.press.pressed import SlackPress
from adapters.slack.web import Web
from pipeline.errors import NotTaken
from pipeline.ports import Sent
from pipeline.ports.desk import Posts
from pipeline.translations import Words
from pipeline.values import IncomingMessage, PlaceId, replace
from pipeline.values.posting import Adding

_LINK = re.compile(r"<(https?://[^<>|]+)(?:\|[^<>]*)?>")
_LONGEST, _NAME = 250, 100
"""Characters of an address and of a file's name: ten of them fit into what a form carries along."""


class Choice(NamedTuple):
    """Things of one message."""

    channel: str
    ts: str
    thread: str
    things: tuple[Thing, ...]

    def __str__(self) -> str:
        """At most 3,000 characters, which Slack hands back with the form."""
        return json.dumps(self, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> Choice:
        channel, ts, thread, things = json.loads(text)
        return cls(channel, ts, thread, tuple(Thing(*one) for one in things))


def chosen(channel: str, message: Body) -> Choice:
    """What of a message can be added."""
    files = [Thing(named(one), str(one["id"])) for one in message.get("files") or () if one.get("id")]
    addresses = [Thing(html.unescape(one)) for one in dict.fromkeys(_LINK.findall(str(message.get("text") or "")))]
    ts = str(message["ts"])
    return Choice(channel, ts, str(message.get("thread_ts") or ts), fitting([*files, *addresses]))


def named(file: Body) -> str:
    return str(file.get("name") or file.get("title") or "file")


def fitting(things: Sequence[Thing]) -> tuple[Thing, ...]:
    """The first ten; an address that is too long to be carried along is left out."""
    kept = [one._replace(name=cut.short(one.name, _NAME)) if one.file else one for one in things]
    return tuple(one for one in kept if len(one.name) <= _LONGEST)[:MOST]


def attached(message: IncomingMessage) -> str:
    """What the button below a reply carries, at most 2,000 characters: the files of the message."""
    things = fitting([Thing(one.name, one.id) for one in message.attachments if one.id])
    choice = Choice(message.conversation.channel, message.place.message, message.conversation.thread, things)
    return str(choice) if things else ""


def offered(
    web: Web, audiences: SlackAudiences, files: Files, posts: Posts, spot: SlackPress, body: Body
) -> SlackOffered:
    """The message stands in the shortcut, and in what the button and the form carry."""
    menu = spot.pressed.action == FROM_MENU
    choice = chosen(spot.channel, body["message"]) if menu else Choice.parse(spot.pressed.about)
    return SlackOffered(web, audiences, files, posts, choice, spot)


class SlackOffered:
    """The port `Offered`."""

    def __init__(
        self, web: Web, audiences: SlackAudiences, files: Files, posts: Posts, choice: Choice, spot: SlackPress
    ) -> None:
        self._web = web
        self._audiences = audiences
        self._files = files
        self._posts = posts
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

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Below the message; alone to whoever adds it also where the bot is no member, or strangers read."""
        why: str | None = ""
        for where, thread in await self._places(alone=alone):
            person, language = self._spot.pressed.person, words.language
            adding = Adding(to=where, id=uuid4().hex, person=person, language=language, thread=thread, text=reading)
            await self._posts.begin(adding)
            why = await self._posts.ended(adding)
            if not why:
                return partial(self._put, adding)
        raise NotTaken(str(why))

    async def _put(self, adding: Adding, addition: Addition) -> None:
        await self._posts.change(replace(adding, **addition._asdict()))
        if why := await self._posts.ended(adding):
            raise NotTaken(why)

    async def _places(self, *, alone: bool) -> list[tuple[str, str]]:
        """Where it is said, with the thread there; each where the one before takes nothing of ours."""
        spot, team = self._spot, self._spot.pressed.conversation.space
        directly = (str(SLACK.person_id(team, spot.user_id)), "")
        if not spot.direct and (alone or await self._audiences.shared(spot.channel)):
            return [directly]
        channel = PlaceId(platform=SLACK.name, space=team, channel=self._choice.channel)
        return [(str(channel), self._choice.thread), directly]
