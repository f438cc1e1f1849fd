"""Text of a message as the words that a person sees."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime

MENTION_START = re.compile(r"<(?:@|!subteam\^)")
_EMOJI = re.compile(r"(?<![\w:]):[a-z0-9_'+-]+:(?::skin-tone-[2-6]:)?(?![\w:])")
_MENTIONED = re.compile(r"<([@#][A-Z0-9]+|!subteam\^[A-Z0-9]+)(?:\|([^<>]*))?>")
_TOKEN = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def mention_pattern(user: str) -> re.Pattern[str]:
    return re.compile(rf"<@{re.escape(user)}(?:\|[^<>]*)?>")


def message_to_text(text: str, user: str) -> str:
    """Return Slack's markup as the words a person sees, without the mention of `user`, which is the bot.

    `<#C1|general>` becomes `#general`, `<https://x|label>` `label`, `&lt;` `<`, a date its shown text. Emoji are
    dropped, and so are people and places without a name (see `unnamed_mentions`).
    """
    mention = mention_pattern(user).pattern
    text = re.sub(rf"(?<![\s,])[\s,]*+{mention}(?=\s*[?!.])|{mention}", " ", text)
    text = html.unescape(_EMOJI.sub(" ", _TOKEN.sub(_replace_token, text)))
    lines = (re.sub(r"\s+([?!.,])", r"\1", " ".join(line.split())) for line in text.splitlines())
    return "\n".join(lines).strip()


def unnamed_mentions(text: str, user: str) -> list[str]:
    """Return the mentions without a name, each once: `@U1`, `#C1`, `!subteam^S1`; not of `user`, which is the bot."""
    targets = dict.fromkeys(target for target, label in _MENTIONED.findall(text) if not label)
    return [target for target in targets if target != f"@{user}"]


def insert_names(text: str, names: Mapping[str, str]) -> str:
    """Return `text` with the names of its mentions, as Slack itself writes them."""

    def spelled(token: re.Match[str]) -> str:
        name = "" if token[2] else re.sub(r"[<>|\s]+", " ", names.get(token[1], "")).strip()
        return f"<{token[1]}|{'@' if token[1][0] == '!' else ''}{html.escape(name, quote=False)}>" if name else token[0]

    return _MENTIONED.sub(spelled, text)


def _day(seconds: str) -> str:
    try:
        return f"{datetime.fromtimestamp(float(seconds), UTC):%d %B %Y}".lstrip("0")
    except (ValueError, OverflowError, OSError):
        return ""


def _replace_token(token: re.Match[str]) -> str:
    target, label = token.group(1), token.group(2)
    match target[:1]:
        case "@" | "#":
            return f"{target[0]}{label.lstrip('@#')}" if label else ""
        case "!":
            if target.startswith("!date^"):
                return label or _day(target.split("^")[1])
            return label or ("" if "^" in target else f"@{target[1:]}")
    return label or target
