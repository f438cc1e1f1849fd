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


async def can_offer_upload(
    services: BotServices, message: IncomingMessage, author: Callable[[], Awaitable[Actor]]
) -> bool:
    """Return True if the author of a message is to be offered to add its files: only in a direct message, where nobody
    else is asked."""
    is_upload = message.attachments and message.manner is MessageTrigger.DIRECT and not message.external
    return bool(is_upload) and services.authority.is_allowed(await author(), Action.ADD)


class UploadHandlers:
    def __init__(self, services: BotServices) -> None:
        self._services = services

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.ADD: self._choose,
            UPLOAD_COMMAND: self._choose,
            uploads.UPLOAD_FORM: self._submit,
            ReplyButton.TAKE_BACK: self._remove,
        }

    async def _choose(self, interaction: InteractionContext) -> None:
        """Add a single file to a single collection at once; open a form where there is a choice."""
        await interaction.ack(Acknowledgement.FORM_OR_MESSAGE)
        if not isinstance(interaction, ChannelInteractionContext):
            return
        source, translator = await interaction.upload_source(), await interaction.words()
        try:
            collections = await self._services.knowledge.collections(*await _actor_and_place(interaction))
        except NotAllowed:
            await interaction.try_reply_privately(translator(uploads.CONTRIBUTORS_ONLY))
            return
        if source is None or not source.candidates:
            await interaction.try_reply_privately(translator(uploads.NOTHING_TO_ADD))
        elif not collections:
            await interaction.try_reply_privately(translator(uploads.NO_COLLECTION))
        elif len(source.candidates) == len(collections) == 1:
            await self._add(interaction, source, source.candidates, collections[0])
        else:
            await interaction.open_form(
                uploads.upload_form(source.form_state, source.candidates, collections, translator)
            )

    async def _submit(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.FORM_OR_MESSAGE)
        source = await interaction.upload_source() if isinstance(interaction, ChannelInteractionContext) else None
        if source is None:
            translator = await interaction.words()
            await interaction.try_reply_privately(translator(uploads.OUT_OF_DATE, add=translator(uploads.ADD_LABEL)))
            return
        candidates, collection = uploads.parse_upload_form(interaction.payload.form_values, source.candidates)
        await self._add(interaction, source, candidates, collection)

    async def _add(
        self,
        interaction: InteractionContext,
        source: UploadSource,
        candidates: Sequence[UploadCandidate],
        collection: str,
    ) -> None:
        """Add the candidates one after the other; for all to see unless the bot is silent there."""
        silent = bool((await self._services.places.effective_settings(interaction.payload.places)).silent)
        translator = await interaction.words()
        for candidate in candidates:
            notice = translator(uploads.READING_FILE, name=uploads.candidate_label(candidate))
            put = await source.announce_reading(notice, translator, privately=silent)
            await put(
                await self._add_candidate(
                    interaction, candidate, partial(source.resolve, candidate), collection, translator
                )
            )

    async def _add_candidate(
        self,
        interaction: InteractionContext,
        candidate: UploadCandidate,
        sent: Callable[[], Awaitable[Upload]],
        collection: str,
        translator: Translator,
    ) -> UploadResult:
        """Read a candidate into the collection, or into the first one where none was chosen."""
        try:
            actor_place = await _actor_and_place(interaction)
            into = collection or "".join((await self._services.knowledge.collections(*actor_place))[:1])
            added = await self._services.knowledge.add(*actor_place, await sent(), into)
        except NotAllowed:
            return UploadResult(translator(uploads.CONTRIBUTORS_ONLY))
        except UploadRefused as error:
            log.info("upload_failed", reason=str(error))
            return UploadResult(uploads.rejected_text(candidate, error, translator))
        except CitewellError as error:
            log.warning("upload_failed", reason=str(error))
            return UploadResult(uploads.fetch_failed_text(candidate, translator))
        text, small = uploads.added_text(candidate, added, translator), uploads.take_back_hint(added, translator)
        return UploadResult(text, small, added.document, translator(uploads.TAKE_BACK_LABEL))

    async def _remove(self, interaction: InteractionContext) -> None:
        """Remove the document, and replace the button by the confirmation."""
        await interaction.ack(Acknowledgement.MESSAGE_UPDATE)
        translator = await interaction.words()
        try:
            title = await self._services.knowledge.remove(
                await interaction.actor(), await interaction.readers(), interaction.payload.subject_id
            )
        except NotAllowed:
            await interaction.try_reply_privately(translator(uploads.NOT_YOUR_DOCUMENT))
            return
        await interaction.replace_message(
            translator(uploads.DOCUMENT_GONE if title is None else uploads.TAKEN_BACK, title=title)
        )


async def _actor_and_place(interaction: InteractionContext) -> tuple[Actor, Readers, tuple[PlaceId, ...]]:
    return await interaction.actor(), await interaction.channel_readers(), interaction.payload.places
