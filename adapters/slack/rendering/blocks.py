"""Block Kit elements, each within Slack's limits and with foreign text only as literals. Pure."""

from __future__ import annotations

from typing import Any

from adapters.chat.reply import splitting
from adapters.slack.rendering import markup

SlackBlock = dict[str, Any]

MAX_LABEL_LENGTH = 150


def shorten_label(text: str, limit: int = MAX_LABEL_LENGTH) -> str:
    """Return one line of literal mrkdwn of at most `limit` characters, with an ellipsis when it is cut."""
    visible = splitting.strip_hidden(text).replace("|", "∣")
    text = splitting.shorten_line(visible, limit)
    while len(markup.escape_text(text)) > limit:
        text = f"{text[:-2]}…"
    return markup.escape_text(text)


def context_block(*texts: str) -> SlackBlock:
    """Return small print; the texts are mrkdwn already."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True} for text in texts]}


def section_block(text: str, **more: Any) -> SlackBlock:
    """Return a paragraph of mrkdwn of at most 3,000 characters."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}, **more}


def button_block(text: str, action: str, value: str) -> SlackBlock:
    return {"type": "button", "action_id": action, "value": value, "text": {"type": "plain_text", "text": text}}


def code_block(text: str) -> SlackBlock:
    """Return code as rich text, which holds every character literally."""
    return _rich("rich_text_preformatted", text)


def quote_block(text: str) -> SlackBlock:
    """Return words of a document, literally."""
    return _rich("rich_text_quote", text)


def literal_block(text: str) -> SlackBlock:
    """Return a paragraph, literally."""
    return _rich("rich_text_section", text)


def _rich(kind: str, text: str) -> SlackBlock:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": [{"type": "text", "text": text}]}]}
