"""What stands above an answer that somebody wanted to be told."""

from __future__ import annotations

from adapters.chat.words.wishes import AboveAnswer
from adapters.discord.parts.markup import escape
from pipeline.values import PersonId


def told(above: AboveAnswer, author: str) -> str:
    """What stands above an answer that `author` wanted to be told: they notice the mention. The message is found again
    by it."""
    heading, question = above
    return f"<@{PersonId.parse(author).user}> **{escape(heading)}**\n> {escape(question)}"
