"""The text of a message, as the words that a person sees."""

from __future__ import annotations

import html
import re

MENTIONS_SOMEBODY = re.compile(r"<(?:@|!subteam\^)")
_EMOJI = re.compile(r"(?<![\w:]):[a-z0-9_'+-]+:(?::skin-tone-[2-6]:)?(?![\w:])")
_TOKEN = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")


def mention_of(user: str) -> re.Pattern[str]:
    return re.compile(rf"<@{re.escape(user)}(?:\|[^<>]*)?>")


def plain(text: str, user: str) -> str:
    """Slack's markup as the words a person sees, the mention of `user`, who we are, left out.

    `<#C1|general>` -> `#general`, `<https://x|label>` -> `label`, `&lt;` -> `<`; of people and places without a name,
    of dates and of emoji nothing."""
    mention = mention_of(user).pattern
    text = re.sub(rf"(?<![\s,])[\s,]*+{mention}(?=\s*[?!.])|{mention}", " ", text)
    text = html.unescape(_EMOJI.sub(" ", _TOKEN.sub(_words, text)))
    lines = (re.sub(r"\s+([?!.,])", r"\1", " ".join(line.split())) for line in text.splitlines())
    return "\n".join(lines).strip()


def _words(token: re.Match[str]) -> str:
    target, label = token.group(1), token.group(2)
    match target[:1]:
        case "@" | "#":
            return f"{target[0]}{label.lstrip('@#')}" if label else ""
        case "!":
            return "" if target.startswith("!date") else label or f"@{target[1:].partition('^')[0]}"
    return label or target
