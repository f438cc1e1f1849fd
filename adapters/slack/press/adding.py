"""What was chosen to be added, and what is said of it. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from adapters.chat.press.knowledge import Addition
from adapters.chat.reply import cut
from adapters.chat.words.knowledge import MOST, Thing
from adapters.slack.events.incoming import Body
from adapters.slack.parts.blocks import button, context, said
from adapters.slack.parts.render import Post, fallback
from adapters.slack.press.pressed import TAKE_BACK
from pipeline.values import IncomingMessage

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


def offered(message: IncomingMessage) -> str:
    """What the button below a reply carries, at most 2,000 characters: the files of the message."""
    things = fitting([Thing(one.name, one.id) for one in message.attachments if one.id])
    choice = Choice(message.conversation.channel, message.place.message, message.conversation.thread, things)
    return str(choice) if things else ""


def post(addition: Addition) -> Post:
    """What came of a thing, with the button that takes a document back."""
    blocks = [said(addition.text), *([context(addition.small)] if addition.small else [])]
    if addition.document:
        blocks.append({"type": "actions", "elements": [button(addition.back, TAKE_BACK, addition.document)]})
    return Post((), tuple(blocks), fallback(addition.text))
