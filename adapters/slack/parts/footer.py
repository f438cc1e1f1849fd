"""What stands below a reply's text: sources, small print, buttons. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Button, Reply, Source
from adapters.slack.parts import markup
from adapters.slack.parts.blocks import Block, button, context, short
from pipeline.translations import ENGLISH, Words
from pipeline.values import Vote

FOOTER = 8_000
CONTEXT = 3_000
"""Characters of the blocks below one message, and of one block of small print."""
TAKE_BACK = "take_back"
"""The action of the button that takes a document back."""


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
