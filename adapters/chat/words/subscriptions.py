"""Texts of answer subscriptions: the confirmation, and the heading above the later answer, on every platform. Pure."""

from __future__ import annotations

from typing import NamedTuple

from adapters.chat.reply.builder import MAX_QUESTION_LENGTH, text_reply
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.chat.reply.splitting import sanitize_line
from pipeline.translations import Translator
from pipeline.values import Answer, SubscriptionResult, replace
from pipeline.words import wording


class AnswerHeading(NamedTuple):
    """Heading above a subscribed answer. All of `question` is shown literally."""

    heading: str
    question: str


def answer_heading(answer: Answer) -> AnswerHeading:
    """Return why the answer is posted now, and its question: other messages stand between them."""
    return AnswerHeading(
        Translator(answer.language)(wording.SUBSCRIPTION_INTRO), sanitize_line(answer.question, MAX_QUESTION_LENGTH)
    )


def subscribed_reply(result: SubscriptionResult, translator: Translator) -> Reply:
    """Return the confirmation, with a button to cancel if there is something to cancel."""
    actions = (ReplyButton.UNSUBSCRIBE,) if result.subscription_id else ()
    reply = text_reply(result.reply)
    return replace(reply, language=translator.language, answer_id=result.subscription_id, buttons=actions)
