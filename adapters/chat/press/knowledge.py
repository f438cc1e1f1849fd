"""Adding files and links of a message to the documents, and taking them back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import structlog

from adapters.chat.press.offered import Addition, Offered
from adapters.chat.press.presser import AmongOthers, Presser, Then
from adapters.chat.reply.parts import Button
from adapters.chat.words import knowledge
from adapters.chat.words.knowledge import Thing
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import Desk, NotAdded, Sent
from pipeline.translations import Words
from pipeline.values import Action, Actor, IncomingMessage, Manner, PlaceId, Readers

FROM_MENU = "add_to_knowledge"
"""The same as the button, from the menu of a message."""

log = structlog.get_logger(__name__)


async def addable(desk: Desk, message: IncomingMessage, author: Callable[[], Awaitable[Actor]]) -> bool:
    """Whether to offer its author that the files of a message are added: where nobody else is asked, in a direct
    message."""
    asked = message.attachments and message.manner is Manner.DIRECT and not message.external
    return bool(asked) and desk.authority.allows(await author(), Action.ADD)


class Additions:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[Presser], Awaitable[None]]]:
        return {
            Button.ADD: self._choose,
            FROM_MENU: self._choose,
            knowledge.ADDING: self._sent,
            Button.TAKE_BACK: self._take_back,
        }

    async def _choose(self, by: Presser) -> None:
        """Add the one thing to the one collection; where there is more, a form asks."""
        await by.ack(Then.OPENED)
        if not isinstance(by, AmongOthers):
            return
        offered, words = await by.offered(), await by.words()
        try:
            collections = await self._desk.knowledge.collections(*await _where(by))
        except NotAllowed:
            await by.say(words(knowledge.CONTRIBUTORS_ONLY))
            return
        if offered is None or not offered.things:
            await by.say(words(knowledge.NOTHING_TO_ADD))
        elif not collections:
            await by.say(words(knowledge.NO_COLLECTION))
        elif len(offered.things) == len(collections) == 1:
            await self._add(by, offered, offered.things, collections[0])
        else:
            await by.open(knowledge.form(offered.carried, offered.things, collections, words))

    async def _sent(self, by: Presser) -> None:
        await by.ack(Then.OPENED)
        offered = await by.offered() if isinstance(by, AmongOthers) else None
        if offered is None:
            words = await by.words()
            await by.say(words(knowledge.OUT_OF_DATE, add=words(knowledge.ADD)))
            return
        things, collection = knowledge.given(by.pressed.filled, offered.things)
        await self._add(by, offered, things, collection)

    async def _add(self, by: Presser, offered: Offered, things: Sequence[Thing], collection: str) -> None:
        """One after the other, and for all to see unless the bot is silent there."""
        silent = bool((await self._desk.places.of(by.pressed.places)).silent)
        words = await by.words()
        for thing in things:
            reading = words(knowledge.READING, name=knowledge.label(thing))
            put = await offered.begin(reading, words, alone=silent)
            await put(await self._added(by, thing, partial(offered.sent, thing), collection, words))

    async def _added(
        self, by: Presser, thing: Thing, sent: Callable[[], Awaitable[Sent]], collection: str, words: Words
    ) -> Addition:
        """Read it into the collection, or into the first one where none was chosen."""
        try:
            where = await _where(by)
            into = collection or "".join((await self._desk.knowledge.collections(*where))[:1])
            added = await self._desk.knowledge.add(*where, await sent(), into)
        except NotAllowed:
            return Addition(words(knowledge.CONTRIBUTORS_ONLY))
        except NotAdded as error:
            log.info("nothing_added", reason=str(error))
            return Addition(knowledge.left_out(thing, error, words))
        except CitewellError as error:
            log.warning("nothing_added", reason=str(error))
            return Addition(knowledge.not_got(thing, words))
        said, small = knowledge.told(thing, added, words), knowledge.how_back(added, words)
        return Addition(said, small, added.document, words(knowledge.TAKE_BACK))

    async def _take_back(self, by: Presser) -> None:
        """Forget the document, and say so in the place of the button."""
        await by.ack(Then.CHANGED)
        words = await by.words()
        try:
            title = await self._desk.knowledge.take_back(await by.actor(), await by.readers(), by.pressed.about)
        except NotAllowed:
            await by.say(words(knowledge.NOT_YOURS))
            return
        await by.replace(words(knowledge.NOT_THERE if title is None else knowledge.TAKEN_BACK, title=title))


async def _where(by: Presser) -> tuple[Actor, Readers, tuple[PlaceId, ...]]:
    return await by.actor(), await by.everyone(), by.pressed.places
