"""The Block Kit pieces Citewell uses, each within Slack's limits and holding foreign text only as literals. Pure."""

from __future__ import annotations

from typing import Any

from adapters.chat.reply import cut
from adapters.slack.parts import markup

Block = dict[str, Any]

LABEL = 150


def short(text: str, limit: int = LABEL) -> str:
    """A label of at most `limit` characters: one line of literal mrkdwn, cut with an ellipsis when it is long."""
    whole = cut.clean(text).replace("|", "∣")
    text = cut.short(whole, limit)
    while len(markup.mrkdwn(text)) > limit:
        text = f"{text[:-2]}…"
    return markup.mrkdwn(text)


def context(*texts: str) -> Block:
    """Small print; the texts are mrkdwn already."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True} for text in texts]}


def section(text: str, **more: Any) -> Block:
    """A paragraph of mrkdwn of at most 3,000 characters."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}, **more}


def button(text: str, action: str, value: str) -> Block:
    return {"type": "button", "action_id": action, "value": value, "text": {"type": "plain_text", "text": text}}


def preformatted(text: str) -> Block:
    """Code; rich text holds every character literally."""
    return _rich("rich_text_preformatted", text)


def quoted(text: str) -> Block:
    """What a document says, literally."""
    return _rich("rich_text_quote", text)


def said(text: str) -> Block:
    """A paragraph, literally."""
    return _rich("rich_text_section", text)


def _rich(kind: str, text: str) -> Block:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": [{"type": "text", "text": text}]}]}
