"""What stands above an answer that somebody wanted to be told."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat.words import wishes
from adapters.slack.parts.blocks import quoted, section
from adapters.slack.parts.render import Post, fallback
from pipeline.values import Answer


def told(post: Post, answer: Answer, user: str) -> Post:
    """The first message of an answer, with who wanted it and why it comes now above it: they notice the mention."""
    heading, question = wishes.above(answer)
    return replace(
        post,
        header=(section(f"<@{user}> {heading}"), quoted(question)),
        text=fallback(f"{heading} {question}"),
    )
