"""What whoever wants to be told hears at once, and what stands above the answer later, on every platform. Pure."""

from __future__ import annotations

from typing import NamedTuple

from adapters.chat.reply.answer import QUESTION, plain
from adapters.chat.reply.cut import one_line
from adapters.chat.reply.parts import Button, Reply
from pipeline.translations import Words
from pipeline.values import Answer, Wished, replace
from pipeline.words import wording


class AboveAnswer(NamedTuple):
    """All of `quoted` is to be shown as it stands."""

    heading: str
    quoted: str


def above(answer: Answer) -> AboveAnswer:
    """Why it is posted now, and the question: what was said meanwhile stands between."""
    return AboveAnswer(Words(answer.language)(wording.YOU_WANTED), one_line(answer.question, QUESTION))


def noted(wished: Wished, words: Words) -> Reply:
    """That it is noted, with the button that takes it back, where there is something to take back."""
    actions = (Button.UNTELL,) if wished.wish_id else ()
    said = plain(wished.said)
    return replace(said, language=words.language, answer_id=wished.wish_id, actions=actions)
