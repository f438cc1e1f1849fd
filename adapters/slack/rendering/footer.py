"""The blocks below a reply's text: sources, small print, and buttons with their values. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adapters.chat.reply import labels as words
from adapters.chat.reply import splitting
from adapters.chat.reply.parts import Reply, ReplyButton, ReplySource
from adapters.chat.words.uploads import MAX_UPLOADS, UploadCandidate
from adapters.slack.events.incoming import SlackPayload
from adapters.slack.rendering import markup
from adapters.slack.rendering.blocks import SlackBlock, button_block, context_block, shorten_label
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import IncomingMessage, Vote

MAX_FOOTER_LENGTH = 8_000
MAX_CONTEXT_LENGTH = 3_000
"""Characters of the blocks below one message, and of one block of small print."""
TAKE_BACK_ACTION = "take_back"
"""The action of the button that removes a document."""
_LINK = re.compile(r"<(https?://[^<>|]+)(?:\|[^<>]*)?>")
_MAX_ADDRESS, _MAX_FILE_NAME = 250, 100
"""Characters of an address and of a file's name: ten of them fit into the state of a form."""


def render_footers(reply: Reply) -> Iterator[tuple[SlackBlock, ...]]:
    """Yield the blocks below the answer, in groups that fit one message each."""
    group: list[SlackBlock] = []
    room = MAX_FOOTER_LENGTH
    for block in _footer(reply):
        size = len(str(block))
        if group and (size > room or len(group) >= 20):
            yield tuple(group)
            group, room = [], MAX_FOOTER_LENGTH
        group.append(block)
        room -= size
    if group:
        yield tuple(group)


def _footer(reply: Reply) -> Iterator[SlackBlock]:
    translator = Translator(reply.language)
    if reply.sources:
        yield from _small_print([f"*{reply.sources_title}*", *map(render_source, reply.sources)])
    if reply.status:
        yield context_block(shorten_label(reply.status))
    if ReplyButton.HELPFUL in reply.buttons:
        yield feedback_block(reply.answer_id, translator)
    actions = [action for action in reply.buttons if action not in (ReplyButton.HELPFUL, ReplyButton.UNHELPFUL)]
    if actions:
        labels = {
            **{action: translator(label) for action, label in words.BUTTON_LABELS.items()},
            ReplyButton.ASK: reply.ask_label,
        }
        values = {ReplyButton.ADD: reply.upload_button_value}
        elements = [
            button_block(labels[action], action.value, values.get(action, reply.answer_id)) for action in actions
        ]
        yield {"type": "actions", "elements": elements}


def _small_print(lines: Iterable[str]) -> Iterator[SlackBlock]:
    """Yield the lines as context blocks of at most `MAX_CONTEXT_LENGTH` characters."""
    group: list[str] = []
    for text in lines:
        if group and sum(len(line) + 1 for line in group) + len(text) > MAX_CONTEXT_LENGTH:
            yield context_block("\n".join(group))
            group = []
        group.append(text)
    if group:
        yield context_block("\n".join(group))


def render_source(source: ReplySource) -> str:
    """Return a source as one line of mrkdwn."""
    label = shorten_label(source.title)
    title = f"<{markup.escape_text(source.url)}|{label}>" if markup.is_linkable(source.url) else label
    return " · ".join(
        part for part in (f"{source.mark} {title}", shorten_label(source.location), shorten_label(source.date)) if part
    )


def feedback_block(answer_id: str, translator: Translator = ENGLISH_TRANSLATOR) -> SlackBlock:
    """Return the thumbs up and down."""

    def side(action: ReplyButton, vote: Vote) -> SlackBlock:
        return {
            # Without its emoji: Slack draws a thumb of its own.
            "text": {"type": "plain_text", "text": translator(words.BUTTON_LABELS[action]).partition(" ")[2]},
            "value": f"{vote.value}:{answer_id}",
            "accessibility_label": translator(words.DESCRIPTIONS[action]),
        }

    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "rate",
                "positive_button": side(ReplyButton.HELPFUL, Vote.HELPFUL),
                "negative_button": side(ReplyButton.UNHELPFUL, Vote.UNHELPFUL),
            }
        ],
    }


def parse_vote(value: str) -> tuple[Vote, str]:
    """Return the vote and the answer's id of a value that `feedback_block` wrote."""
    vote, _, answer_id = value.partition(":")
    return Vote(vote), answer_id


class SlackUploadSelection(NamedTuple):
    """Candidates of one message."""

    channel: str
    ts: str
    thread: str
    candidates: tuple[UploadCandidate, ...]

    def __str__(self) -> str:
        """Return at most 3,000 characters, which Slack hands back with the form."""
        return json.dumps(self, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> SlackUploadSelection:
        channel, ts, thread, candidates = json.loads(text)
        return cls(channel, ts, thread, tuple(UploadCandidate(*candidate) for candidate in candidates))


def select_uploads(channel: str, message: SlackPayload) -> SlackUploadSelection:
    """Return the files and links of a message that can be added."""
    files = [
        UploadCandidate(slack_file_name(file), str(file["id"])) for file in message.get("files") or () if file.get("id")
    ]
    addresses = [
        UploadCandidate(html.unescape(url)) for url in dict.fromkeys(_LINK.findall(str(message.get("text") or "")))
    ]
    ts = str(message["ts"])
    return SlackUploadSelection(
        channel, ts, str(message.get("thread_ts") or ts), limit_candidates([*files, *addresses])
    )


def slack_file_name(file: SlackPayload) -> str:
    return str(file.get("name") or file.get("title") or "file")


def limit_candidates(candidates: Sequence[UploadCandidate]) -> tuple[UploadCandidate, ...]:
    """Return the first ten; an address too long to be carried is left out."""
    shortened = [
        candidate._replace(name=splitting.shorten_line(candidate.name, _MAX_FILE_NAME))
        if candidate.file_id
        else candidate
        for candidate in candidates
    ]
    return tuple(candidate for candidate in shortened if len(candidate.name) <= _MAX_ADDRESS)[:MAX_UPLOADS]


def upload_button_value(message: IncomingMessage) -> str:
    """Return the value of the button that adds a message's files, at most 2,000 characters; empty where there are
    none."""
    candidates = limit_candidates(
        [UploadCandidate(attachment.name, attachment.id) for attachment in message.attachments if attachment.id]
    )
    choice = SlackUploadSelection(
        message.conversation.channel, message.place.message, message.conversation.thread, candidates
    )
    return str(choice) if candidates else ""
