"""The question inside a message: without mentions and quoted lines."""

from __future__ import annotations

import re

_MENTION = re.compile(r"<(?:[@!&#]|a?:\w+:|t:)[^<>\s]*>|^\s*@[\w.-]+[,:]?\s+")
"""As Slack and Discord write them: people, groups, channels, emoji of their own, times."""
_QUOTED_LINE = re.compile(r"^[^\S\n]*>[^\n]*\n", re.MULTILINE)


def clean(text: str) -> str:
    """`text` in one line without mentions and what it quotes; never empty unless `text` is. Linear in its length."""
    text = _MENTION.sub(" ", text)
    unquoted = _QUOTED_LINE.sub("", text)
    return " ".join((unquoted if unquoted.split() else text).replace("```", " ").split())
