"""Follow-ups: a question that leans on its conversation is completed from it."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.values import Turn, Value


class FollowUp(Value):
    """A question that can be searched by itself."""

    question: str
    context: str = ""
    """Words of the conversation that help retrieval without being part of the question."""
    leans: bool = False
    """The question as asked is incomplete without the conversation."""


def complete(question: str, turns: Sequence[Turn]) -> FollowUp:
    """Complete `question` from `turns` (oldest first) where it leans on them; leave it alone where it does not."""
    if not turns:
        return FollowUp(question=question)
    return FollowUp(question=question, context=turns[-1].standalone or turns[-1].question)
