"""Asking a person: the button under an answer, and the form with which the question is resolved."""

from __future__ import annotations

from adapters.discord import buttons
from adapters.discord.audience import Audiences, actor
from adapters.discord.blocks import layout
from adapters.discord.ephemeral import Interaction, person, places_of, say
from adapters.discord.markup import escape
from adapters.discord.modal import filled, modal
from adapters.discord.places import DIRECT, PLATFORM
from adapters.replies import handoff
from pipeline import wording
from pipeline.errors import Refused
from pipeline.ports import Desk
from pipeline.values import ConversationId


class Handoffs:
    def __init__(self, desk: Desk, audiences: Audiences) -> None:
        self._desk = desk
        self._audiences = audiences

    async def ask(self, interaction: Interaction, answer_id: str, seen: str) -> str:
        """Pass the question on; what whoever pressed is told. They hear of the reply below the answer.

        `seen`: the id of the answer that the button stands beside, where that is not the message with the button."""
        message = interaction.message
        apart = message is None or message.flags.ephemeral
        below = seen if apart or message is None else str(message.id)
        origin = conversation(interaction)
        return await self._desk.hand_over(
            answer_id,
            person(interaction),
            await self._audiences.of_presser(interaction),
            places_of(interaction),
            origin,
            below,
            private=not below,
        )

    async def open(self, interaction: Interaction, handoff_id: str) -> None:
        """The form for the reply."""
        keep = await self._desk.handoffs.may_keep(actor(interaction), places_of(interaction)[-1])
        words = await self._desk.words(person(interaction), locale=str(interaction.locale))
        await interaction.response.send_modal(modal(handoff.form(handoff_id, words, keep=keep)))

    async def resolved(self, interaction: Interaction, handoff_id: str) -> None:
        """Close the question, and say in the place of the heading who did."""
        reply, keep = handoff.given(filled(interaction.data))
        message = interaction.message
        name = interaction.user.display_name
        link = message.jump_url if message and keep else ""
        await interaction.response.defer()
        words = await self._desk.words(person(interaction), text=reply, locale=str(interaction.locale))
        try:
            said = await self._desk.handoffs.resolve(
                handoff_id, places_of(interaction)[-1], actor(interaction), name, reply, keep=keep, link=link
            )
        except Refused:
            await say(interaction, (words(wording.NOT_KEPT),))
            return
        if message and said != wording.HANDOFF_GONE:
            first, *below = buttons.texts(message.components)
            _, *quoted = first.splitlines()
            heading = f"**✓ {escape(words(wording.RESOLVED_BY, who=name))}**"
            await interaction.edit_original_response(view=layout(["\n".join([heading, *quoted]), *below]))
        await say(interaction, (words(said),))


def conversation(interaction: Interaction) -> ConversationId:
    """The channel or thread that a press was made in."""
    return ConversationId(
        platform=PLATFORM, space=str(interaction.guild_id or DIRECT), channel=str(interaction.channel_id)
    )
