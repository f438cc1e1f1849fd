"""Told when fixed: who got no answer, or a wrong one, is told the answer once the documents have it."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from pipeline.errors import Busy
from pipeline.ports import Inbox
from pipeline.translations import TranslatableText, Translator
from pipeline.values import (
    Answer,
    AnswerInteraction,
    AnswerRequest,
    AnswerSettings,
    AnswerSubscription,
    IncomingMessage,
    MessageTrigger,
    SubscriptionResult,
    replace,
)
from pipeline.words import wording
from storage.messages.subscriptions import SQLSubscriptions
from storage.open import Storage

MAX_SUBSCRIPTIONS = 20
"""What one person may wait for at a time."""
TRIES_PER_RUN = 20
"""Tries that one run of the job begins: each costs as much as an answer."""
RETRY_INTERVAL_SECONDS = 3600.0
"""Seconds between two tries of the same where the documents change all the time."""


class StoredSubscriptionService:
    """From the button under an answer to taking it back."""

    def __init__(self, store: SQLSubscriptions) -> None:
        self._store = store

    async def subscribe(self, answer: Answer, press: AnswerInteraction, words: Translator) -> SubscriptionResult:
        """Keep that the person wants to be told, once for each question; what they are told at once."""
        kept = await self._store.save(make_subscription(answer, press), MAX_SUBSCRIPTIONS)
        if not kept.subscription_id:
            return SubscriptionResult(words(wording.TOO_MANY_SUBSCRIPTIONS, most=MAX_SUBSCRIPTIONS))
        if not kept.is_new:
            return SubscriptionResult(words(wording.ALREADY_SUBSCRIBED), kept.subscription_id)
        return SubscriptionResult(
            words(wording.SUBSCRIBED_PRIVATELY if press.private else wording.SUBSCRIBED), kept.subscription_id
        )

    async def cancel(self, wish_id: str, person: str) -> TranslatableText:
        """Tell that person nothing; what they are told of that."""
        return wording.SUBSCRIPTION_CANCELED if await self._store.cancel(wish_id, person) else wording.SUBSCRIPTION_GONE


def make_subscription(answer: Answer, press: AnswerInteraction) -> AnswerSubscription:
    """The question of `answer`, complete by itself, in the words it was asked in: documents may have them by then."""
    return AnswerSubscription(
        id=secrets.token_hex(8),
        answer_id=answer.id,
        person=press.person,
        question=answer.standalone or answer.question,
        origin=press.origin,
        message="" if press.private else press.message,
        said_in=press.chain,
        external=press.external,
        language=answer.language,
        rated=tuple(dict.fromkeys(citation.chunk_id for citation in answer.citations)),
    )


async def retry_subscriptions(wishes: SQLSubscriptions, inbox: Inbox, *, every: float = RETRY_INTERVAL_SECONDS) -> None:
    """Put into the inbox what was not tried since the library changed: each once, so that a tick too many does no
    harm. What has no room now is tried at the next one."""
    due = await wishes.due(TRIES_PER_RUN)
    for one in due.subscriptions:
        try:
            await inbox.accept(one.to_message(datetime.now(UTC)))
        except Busy:
            continue
        await wishes.mark_tried(one, due.generation, every)


async def apply_subscription(
    request: AnswerRequest, message: IncomingMessage, chosen: AnswerSettings, storage: Storage
) -> AnswerRequest:
    """`request`, made of `message`, with what an answer has to be for somebody who waits to be told: nobody, where it
    was taken back or the bot is to be silent by now.

    The question is complete by itself: nothing is recalled, and the turn is kept with the answer.
    """
    if message.manner is not MessageTrigger.AWAITED or request.conversation is None:
        return request
    alone = replace(request.conversation, thread=message.place.message)
    awaited = None
    silent = chosen.place.silent or await storage.inbox.is_silenced(message.conversation)
    if (wanted := await storage.subscriptions.find_by_message(message.key)) and not (silent and wanted.is_in_group):
        there = await storage.library.get_chunks(wanted.rated)
        awaited = frozenset(wanted.rated if len(there) == len(wanted.rated) else ())
    return replace(request, conversation=alone, known_chunk_ids=awaited)
