"""What stands below a reply's text: sources, small print, buttons, and what these carry. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adapters.chat.reply import cut
from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Button, Reply, Source
from adapters.chat.words.knowledge import MOST, Thing
from adapters.slack.events.incoming import Body
from adapters.slack.parts import markup
from adapters.slack.parts.blocks import Block, button, context, short
from pipeline.translations import ENGLISH, Words
from pipeline.values import IncomingMessage, Vote

FOOTER = 8_000
CONTEXT = 3_000
"""Characters of the blocks below one message, and of one block of small print."""
TAKE_BACK = "take_back"
"""The action of the button that takes a document back."""
_LINK = re.compile(r"<(https?://[^<>|]+)(?:\|[^<>]*)?>")
_LONGEST, _NAME = 250, 100
"""Characters of an address and of a file's name: ten of them fit into what a form carries along."""


def footers(reply: Reply) -> Iterator[tuple[Block, ...]]:
    """The blocks below the answer, in groups that fit one message each."""
    group: list[Block] = []
    room = FOOTER
    for block in _footer(reply):
        size = len(str(block))
        if group and (size > room or len(group) >= 20):
            yield tuple(group)
            group, room = [], FOOTER
        group.append(block)
        room -= size
    if group:
        yield tuple(group)


def _footer(reply: Reply) -> Iterator[Block]:
    speech = Words(reply.language)
    if reply.sources:
        yield from _small_print([f"*{reply.sources_title}*", *map(source, reply.sources)])
    if reply.status:
        yield context(short(reply.status))
    if Button.HELPFUL in reply.actions:
        yield feedback(reply.answer_id, speech)
    pressed = [action for action in reply.actions if action not in (Button.HELPFUL, Button.UNHELPFUL)]
    if pressed:
        labels = {**{action: speech(label) for action, label in words.LABELS.items()}, Button.ASK: reply.ask}
        values = {Button.ADD: reply.adds}
        elements = [button(labels[action], action.value, values.get(action, reply.answer_id)) for action in pressed]
        yield {"type": "actions", "elements": elements}


def _small_print(lines: Iterable[str]) -> Iterator[Block]:
    """Lines under each other, as context blocks of at most `CONTEXT` characters."""
    group: list[str] = []
    for text in lines:
        if group and sum(len(one) + 1 for one in group) + len(text) > CONTEXT:
            yield context("\n".join(group))
            group = []
        group.append(text)
    if group:
        yield context("\n".join(group))


def source(source: Source) -> str:
    """One line of mrkdwn."""
    label = short(source.title)
    title = f"<{markup.mrkdwn(source.url)}|{label}>" if markup.linkable(source.url) else label
    return " · ".join(part for part in (f"{source.mark} {title}", short(source.place), short(source.date)) if part)


def feedback(answer_id: str, speech: Words = ENGLISH) -> Block:
    """A thumb up and a thumb down."""

    def side(action: Button, vote: Vote) -> Block:
        return {
            "text": {"type": "plain_text", "text": speech(words.LABELS[action]).partition(" ")[2]},
            "value": f"{vote.value}:{answer_id}",
            "accessibility_label": speech(words.DESCRIBED[action]),
        }

    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "rate",
                "positive_button": side(Button.HELPFUL, Vote.HELPFUL),
                "negative_button": side(Button.UNHELPFUL, Vote.UNHELPFUL),
            }
        ],
    }


def voted(value: str) -> tuple[Vote, str]:
    """The vote and the answer's id that `feedback` wrote."""
    vote, _, answer_id = value.partition(":")
    return Vote(vote), answer_id


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
