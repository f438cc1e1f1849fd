"""Sharing of a private answer in its channel: once, with people who may see it, and as the start of a conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog

from adapters.chat.interactions.context import Acknowledgement, ChannelInteractionContext, InteractionContext
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import handoff
from pipeline.errors import CitewellError
from pipeline.ports import BotServices
from pipeline.values import PlaceId
from pipeline.values.posting import SharedAnswer
from pipeline.words import wording

log = structlog.get_logger(__name__)


class SharingHandlers:
    def __init__(self, services: BotServices) -> None:
        self._services = services

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {ReplyButton.SHARE: self._share}

    async def _share(self, interaction: InteractionContext) -> None:
        """Post the answer where the button was pressed if everyone there may see its sources; otherwise say why not. A
        failed post may be tried again."""
        await interaction.ack(Acknowledgement.MESSAGE_UPDATE)
        if not isinstance(interaction, ChannelInteractionContext):
            return
        translator = await interaction.words()
        readers = await interaction.share_readers()
        answer = (
            None
            if isinstance(readers, str)
            else await self._services.find_answer(interaction.payload.subject_id, readers)
        )
        if answer is None:
            await interaction.try_reply_privately(
                translator(readers if isinstance(readers, str) else wording.SHARE_REFUSED)
            )
            return
        conversation = interaction.payload.conversation
        share = SharedAnswer(
            to=str(PlaceId(platform=conversation.platform, space=conversation.space, channel=conversation.channel)),
            answer_id=answer.id,
            person=interaction.payload.person_id,
            name=interaction.payload.name or translator(handoff.UNNAMED_PERSON),
            language=translator.language,
        )
        if not await self._services.posts.enqueue(share):
            await interaction.try_reply_privately(translator(wording.ALREADY_SHARED))
            return
        refusal = await self._services.posts.wait_until_posted(share)
        if refusal:
            await interaction.try_reply_privately(refusal)
        elif refusal is not None:
            try:
                await interaction.show_shared_note(answer)
            except CitewellError as error:  # it is shared all the same
                log.warning("share_not_confirmed", reason=str(error))
