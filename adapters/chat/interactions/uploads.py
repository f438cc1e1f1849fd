"""Handlers that add files and links of a message to the documents, and remove them again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import structlog

from adapters.chat.interactions.context import Acknowledgement, ChannelInteractionContext, InteractionContext
from adapters.chat.interactions.upload_source import UploadResult, UploadSource
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import uploads
from adapters.chat.words.uploads import UploadCandidate
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import BotServices, Upload, UploadRefused
from pipeline.translations import Translator
from pipeline.values import Action, Actor, IncomingMessage, MessageTrigger, PlaceId, Readers

UPLOAD_COMMAND = "add_to_knowledge"
"""Action of the message menu; it does what the button does."""

log = structlog.get_logger(__name__)


async def can_offer_upload(desk: BotServices, message: IncomingMessage, author: Callable[[], Awaitable[Actor]]) -> bool:
    """Return True if the author of a message is to be offered to add its files: only in a direct message, where nobody
    else is asked."""
    asked = message.attachments and message.manner is MessageTrigger.DIRECT and not message.external
    return bool(asked) and desk.authority.is_allowed(await author(), Action.ADD)


class UploadHandlers:
    def __init__(self, desk: BotServices) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.ADD: self._choose,
            UPLOAD_COMMAND: self._choose,
            uploads.UPLOAD_FORM: self._sent,
            ReplyButton.TAKE_BACK: self._take_back,
        }

    async def _choose(self, by: InteractionContext) -> None:
        """Add a single file to a single collection at once; open a form where there is a choice."""
        await by.ack(Acknowledgement.FORM_OR_MESSAGE)
        if not isinstance(by, ChannelInteractionContext):
            return
        offered, words = await by.upload_source(), await by.words()
        try:
            collections = await self._desk.knowledge.collections(*await _where(by))
        except NotAllowed:
            await by.try_reply_privately(words(uploads.CONTRIBUTORS_ONLY))
            return
        if offered is None or not offered.candidates:
            await by.try_reply_privately(words(uploads.NOTHING_TO_ADD))
        elif not collections:
            await by.try_reply_privately(words(uploads.NO_COLLECTION))
        elif len(offered.candidates) == len(collections) == 1:
            await self._add(by, offered, offered.candidates, collections[0])
        else:
            await by.open_form(uploads.upload_form(offered.form_state, offered.candidates, collections, words))

    async def _sent(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.FORM_OR_MESSAGE)
        offered = await by.upload_source() if isinstance(by, ChannelInteractionContext) else None
        if offered is None:
            words = await by.words()
            await by.try_reply_privately(words(uploads.OUT_OF_DATE, add=words(uploads.ADD_LABEL)))
            return
        things, collection = uploads.parse_upload_form(by.payload.form_values, offered.candidates)
        await self._add(by, offered, things, collection)

    async def _add(
        self, by: InteractionContext, offered: UploadSource, things: Sequence[UploadCandidate], collection: str
    ) -> None:
        """Add the candidates one after the other; for all to see unless the bot is silent there."""
        silent = bool((await self._desk.places.effective_settings(by.payload.places)).silent)
        words = await by.words()
        for thing in things:
            reading = words(uploads.READING_FILE, name=uploads.candidate_label(thing))
            put = await offered.announce_reading(reading, words, alone=silent)
            await put(await self._added(by, thing, partial(offered.resolve, thing), collection, words))

    async def _added(
        self,
        by: InteractionContext,
        thing: UploadCandidate,
        sent: Callable[[], Awaitable[Upload]],
        collection: str,
        words: Translator,
    ) -> UploadResult:
        """Read a candidate into the collection, or into the first one where none was chosen."""
        try:
            where = await _where(by)
            into = collection or "".join((await self._desk.knowledge.collections(*where))[:1])
            added = await self._desk.knowledge.add(*where, await sent(), into)
        except NotAllowed:
            return UploadResult(words(uploads.CONTRIBUTORS_ONLY))
        except UploadRefused as error:
            log.info("nothing_added", reason=str(error))
            return UploadResult(uploads.rejected_text(thing, error, words))
        except CitewellError as error:
            log.warning("nothing_added", reason=str(error))
            return UploadResult(uploads.fetch_failed_text(thing, words))
        said, small = uploads.added_text(thing, added, words), uploads.take_back_hint(added, words)
        return UploadResult(said, small, added.document, words(uploads.TAKE_BACK_LABEL))

    async def _take_back(self, by: InteractionContext) -> None:
        """Remove the document, and replace the button by the confirmation."""
        await by.ack(Acknowledgement.MESSAGE_UPDATE)
        words = await by.words()
        try:
            title = await self._desk.knowledge.remove(await by.actor(), await by.readers(), by.payload.subject_id)
        except NotAllowed:
            await by.try_reply_privately(words(uploads.NOT_YOUR_DOCUMENT))
            return
        await by.replace_message(words(uploads.DOCUMENT_GONE if title is None else uploads.TAKEN_BACK, title=title))


async def _where(by: InteractionContext) -> tuple[Actor, Readers, tuple[PlaceId, ...]]:
    return await by.actor(), await by.channel_readers(), by.payload.places
