"""Adding files and links of a message to the documents, and taking them back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import structlog

from adapters.conversation.presser import Presser
from adapters.replies import knowledge
from adapters.replies.knowledge import Thing
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import Desk, NotAdded, Sent
from pipeline.values import Action, Actor, IncomingMessage, Manner

log = structlog.get_logger(__name__)


class Outcome(NamedTuple):
    """What came of one thing."""

    text: str
    small: str = ""
    """In small print."""
    document: str = ""
    """Its id, where it can be taken back."""


async def addable(desk: Desk, message: IncomingMessage, author: Callable[[], Awaitable[Actor]]) -> bool:
    """Whether to offer its author that the files of a message are added: where nobody else is asked, in a direct
    message."""
    asked = message.attachments and message.manner is Manner.DIRECT and not message.external
    return bool(asked) and desk.authority.allows(await author(), Action.ADD)


async def choose(desk: Desk, by: Presser, things: Sequence[Thing], about: str) -> str:
    """The collection for the one thing, where there is nothing to choose. Otherwise nothing: then the form is open,
    which carries `about`, or it is said why there is none."""
    words = await by.words()
    try:
        collections = await desk.knowledge.collections(await by.actor(), await by.everyone(), by.places)
    except NotAllowed:
        await by.say(words(knowledge.CONTRIBUTORS_ONLY))
        return ""
    if not things or not collections:
        await by.say(words(knowledge.NO_COLLECTION if things else knowledge.NOTHING_TO_ADD))
    elif len(things) == len(collections) == 1:
        return collections[0]
    else:
        await by.open(knowledge.form(about, things, collections, words))
    return ""


async def add(desk: Desk, by: Presser, thing: Thing, sent: Callable[[], Awaitable[Sent]], collection: str) -> Outcome:
    """Read it into the collection, or into the first one where none was chosen, and say what came of it."""
    words = await by.words()
    try:
        where = await by.actor(), await by.everyone(), by.places
        into = collection or "".join((await desk.knowledge.collections(*where))[:1])
        added = await desk.knowledge.add(*where, await sent(), into)
    except NotAllowed:
        return Outcome(words(knowledge.CONTRIBUTORS_ONLY))
    except NotAdded as error:
        log.info("nothing_added", reason=str(error))
        return Outcome(knowledge.left_out(thing, error, words))
    except CitewellError as error:
        log.warning("nothing_added", reason=str(error))
        return Outcome(knowledge.not_got(thing, words))
    return Outcome(knowledge.told(thing, added, words), knowledge.how_back(added, words), added.document)


async def take_back(desk: Desk, by: Presser, document_id: str) -> str:
    """Forget the document; what is said in the place of the button, or nothing where they may not."""
    words = await by.words()
    try:
        title = await desk.knowledge.take_back(await by.actor(), document_id)
    except NotAllowed:
        await by.say(words(knowledge.NOT_YOURS))
        return ""
    return words(knowledge.NOT_THERE if title is None else knowledge.TAKEN_BACK, title=title)
