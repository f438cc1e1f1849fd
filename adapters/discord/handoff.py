"""A question that people are asked: their reply."""

from __future__ import annotations

from adapters.discord import buttons
from adapters.discord.blocks import layout
from adapters.discord.ephemeral import Interaction, Presser
from adapters.discord.markup import escape
from adapters.discord.modal import filled
from adapters.replies import handoff
from pipeline import wording
from pipeline.errors import Refused
from pipeline.ports import Desk


async def resolved(desk: Desk, interaction: Interaction, by: Presser) -> None:
    """Close the question, and say in the place of the heading who did."""
    reply, keep = handoff.given(filled(interaction.data))
    message = interaction.message
    name = interaction.user.display_name
    link = message.jump_url if message and keep else ""
    await interaction.response.defer()
    words = await by.words(reply)
    try:
        said = await desk.handoffs.resolve(by.about, by.places[-1], await by.actor(), name, reply, keep=keep, link=link)
    except Refused:
        await by.say(words(wording.NOT_KEPT))
        return
    if message and said != wording.HANDOFF_GONE:
        first, *below = buttons.texts(message.components)
        _, *quoted = first.splitlines()
        heading = f"**✓ {escape(words(wording.RESOLVED_BY, who=name))}**"
        await interaction.edit_original_response(view=layout(["\n".join([heading, *quoted]), *below]))
    await by.say(words(said))
