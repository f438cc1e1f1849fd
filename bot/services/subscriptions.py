"""Subscriptions: a person without a right answer gets one once the documents have it."""

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
"""Subscriptions of one person at a time."""
TRIES_PER_RUN = 20
"""Tries that one run of the job begins: each costs as much as an answer."""
RETRY_INTERVAL_SECONDS = 3600.0
"""Seconds between two tries of a subscription when the documents change all the time."""


class StoredSubscriptionService:
    """Subscriptions over the store, from the button under an answer to cancelling."""

    def __init__(self, store: SQLSubscriptions) -> None:
        self._store = store

    async def subscribe(
        self, answer: Answer, interaction: AnswerInteraction, translator: Translator
    ) -> SubscriptionResult:
        """Subscribe a person, once for each question. Return the text they get at once."""
        saved = await self._store.save(make_subscription(answer, interaction), MAX_SUBSCRIPTIONS)
        if not saved.subscription_id:
            return SubscriptionResult(translator(wording.TOO_MANY_SUBSCRIPTIONS, most=MAX_SUBSCRIPTIONS))
        if not saved.is_new:
            return SubscriptionResult(translator(wording.ALREADY_SUBSCRIBED), saved.subscription_id)
        return SubscriptionResult(
            translator(wording.SUBSCRIBED_PRIVATELY if interaction.private else wording.SUBSCRIBED),
            saved.subscription_id,
        )

    async def cancel(self, wish_id: str, person: str) -> TranslatableText:
        """Cancel a subscription. Return the text for the person."""
        return wording.SUBSCRIPTION_CANCELED if await self._store.cancel(wish_id, person) else wording.SUBSCRIPTION_GONE


def make_subscription(answer: Answer, press: AnswerInteraction) -> AnswerSubscription:
    """Return a subscription to the question of `answer`, complete by itself, in its own words: documents may use them
    later."""
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


async def retry_subscriptions(store: SQLSubscriptions, inbox: Inbox, *, every: float = RETRY_INTERVAL_SECONDS) -> None:
    """Put due subscriptions into the inbox, each once for each change of the library, so extra runs do no harm.

    One that does not fit now is tried at the next run.
    """
    due = await store.due(TRIES_PER_RUN)
    for subscription in due.subscriptions:
        try:
            await inbox.accept(subscription.to_message(datetime.now(UTC)))
        except Busy:
            continue
        await store.mark_tried(subscription, due.generation, every)


async def apply_subscription(
    request: AnswerRequest, message: IncomingMessage, settings: AnswerSettings, storage: Storage
) -> AnswerRequest:
    """Return `request`, made of `message`, with the conditions for an answer to a subscription.

    No answer is wanted if it was cancelled or the bot is silenced by now. The question is complete by itself: nothing
    is recalled, and the turn is stored with the answer.
    """
    if message.manner is not MessageTrigger.AWAITED or request.conversation is None:
        return request
    alone = replace(request.conversation, thread=message.place.message)
    awaited = None
    silent = settings.place.silent or await storage.inbox.is_silenced(message.conversation)
    if (subscription := await storage.subscriptions.find_by_message(message.key)) and not (
        silent and subscription.is_in_group
    ):
        chunks = await storage.library.get_chunks(subscription.rated)
        awaited = frozenset(subscription.rated if len(chunks) == len(subscription.rated) else ())
    return replace(request, conversation=alone, known_chunk_ids=awaited)
