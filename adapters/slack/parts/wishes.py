"""What stands above an answer that somebody wanted to be told."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat.words.wishes import AboveAnswer
from adapters.slack.parts.blocks import quoted, section
from adapters.slack.parts.render import Post, fallback


def told(post: Post, above: AboveAnswer, user: str) -> Post:
    """The first message of an answer, with who wanted it and why it comes now above it: they notice the mention."""
    heading, question = above
    return replace(
        post,
        header=(section(f"<@{user}> {heading}"), quoted(question)),
        text=fallback(f"{heading} {question}"),
    )
