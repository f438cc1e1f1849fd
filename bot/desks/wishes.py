"""Told when fixed: who got no answer, or a wrong one, is told the answer once the documents have it."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from pipeline.errors import Busy
from pipeline.ports import Inbox
from pipeline.translations import Message, Words
from pipeline.values import Answer, Chosen, IncomingMessage, Manner, Press, Request, Wish, Wished, replace
from pipeline.words import wording
from storage.messages.wishes import SQLWishes
from storage.open import Storage

MOST = 20
"""What one person may wait for at a time."""
AT_A_TICK = 20
"""Tries that one run of the job begins: each costs as much as an answer."""
EVERY = 3600.0
"""Seconds between two tries of the same where the documents change all the time."""


class WishDesk:
    """From the button under an answer to taking it back."""

    def __init__(self, store: SQLWishes) -> None:
        self._store = store

    async def keep(self, answer: Answer, press: Press, words: Words) -> Wished:
        """Keep that the person wants to be told, once for each question; what they are told at once."""
        kept = await self._store.keep(wish(answer, press), MOST)
        if not kept.wish_id:
            return Wished(words(wording.TOO_MANY_WISHES, most=MOST))
        if not kept.new:
            return Wished(words(wording.WISHED_ALREADY), kept.wish_id)
        return Wished(words(wording.WISHED_ALONE if press.private else wording.WISHED), kept.wish_id)

    async def take_back(self, wish_id: str, person: str) -> Message:
        """Tell that person nothing; what they are told of that."""
        return wording.WISH_TAKEN_BACK if await self._store.take_back(wish_id, person) else wording.WISH_GONE


def wish(answer: Answer, press: Press) -> Wish:
    """The question of `answer`, complete by itself, in the words it was asked in: documents may have them by then."""
    return Wish(
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


async def try_again(wishes: SQLWishes, inbox: Inbox, *, every: float = EVERY) -> None:
    """Put into the inbox what was not tried since the library changed: each once, so that a tick too many does no
    harm. What has no room now is tried at the next one."""
    due = await wishes.due(AT_A_TICK)
    for one in due.wishes:
        try:
            await inbox.accept(one.asked(datetime.now(UTC)))
        except Busy:
            continue
        await wishes.tried(one, due.generation, every)


async def with_wish(request: Request, message: IncomingMessage, chosen: Chosen, storage: Storage) -> Request:
    """`request`, made of `message`, with what an answer has to be for somebody who waits to be told: nobody, where it
    was taken back or the bot is to be silent by now.

    The question is complete by itself: nothing is recalled, and the turn is kept with the answer."""
    if message.manner is not Manner.AWAITED or request.conversation is None:
        return request
    alone = replace(request.conversation, thread=message.place.message)
    awaited = None
    silent = chosen.place.silent or await storage.inbox.silenced(message.conversation)
    if (wanted := await storage.wishes.of(message.key)) and not (silent and wanted.among):
        there = await storage.library.chunks(wanted.rated)
        awaited = frozenset(wanted.rated if len(there) == len(wanted.rated) else ())
    return replace(request, conversation=alone, awaited=awaited)
