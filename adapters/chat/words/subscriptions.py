"""What whoever wants to be told hears at once, and what stands above the answer later, on every platform. Pure."""

from __future__ import annotations

from typing import NamedTuple

from adapters.chat.reply.builder import MAX_QUESTION_LENGTH, text_reply
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.chat.reply.splitting import sanitize_line
from pipeline.translations import Translator
from pipeline.values import Answer, SubscriptionResult, replace
from pipeline.words import wording


class AnswerHeading(NamedTuple):
    """All of `quoted` is to be shown as it stands."""

    heading: str
    question: str


def answer_heading(answer: Answer) -> AnswerHeading:
    """Why it is posted now, and the question: what was said meanwhile stands between."""
    return AnswerHeading(
        Translator(answer.language)(wording.SUBSCRIPTION_INTRO), sanitize_line(answer.question, MAX_QUESTION_LENGTH)
    )


def subscribed_reply(wished: SubscriptionResult, words: Translator) -> Reply:
    """That it is noted, with the button that takes it back, where there is something to take back."""
    actions = (ReplyButton.UNSUBSCRIBE,) if wished.subscription_id else ()
    said = text_reply(wished.reply)
    return replace(said, language=words.language, answer_id=wished.subscription_id, buttons=actions)
