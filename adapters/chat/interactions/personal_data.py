"""Handlers of a person's own requests: sources, stored data, preferences and insights."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from adapters.chat.interactions.context import Acknowledgement, InteractionContext
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.builder import text_reply
from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import insights
from pipeline.errors import NotAllowed
from pipeline.ports import BotServices
from pipeline.values import Preferences, replace
from pipeline.words import wording

SOURCES_COMMAND, INSIGHTS_COMMAND = "sources", "insights"
"""Names of commands."""


class PersonalDataHandlers:
    def __init__(self, services: BotServices) -> None:
        self._services = services

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.EXPORT: self._export,
            ReplyButton.FORGET: self._confirm_erasure,
            ReplyButton.FORGET_CONFIRMED: self._erase,
            SOURCES_COMMAND: self._sources,
            INSIGHTS_COMMAND: self._insights,
        }

    async def _export(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        await interaction.send_export(
            await self._services.export_person(interaction.payload.person_id, await interaction.readers())
        )

    async def _confirm_erasure(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        translator = await interaction.words()
        warning = text_reply(translator(words.FORGET_WARNING))
        await interaction.show_privately(
            replace(warning, language=translator.language, buttons=(ReplyButton.FORGET_CONFIRMED,))
        )

    async def _erase(self, interaction: InteractionContext) -> None:
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        erased = await self._services.erase_person(interaction.payload.person_id)
        translator = await interaction.words()
        await interaction.try_reply_privately(
            translator(words.FORGOTTEN, entries=translator.pluralize(wording.ENTRY_COUNT, erased))
        )

    async def _sources(self, interaction: InteractionContext) -> None:
        """Show the indexed documents that the person may see."""
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        await interaction.show_privately(
            panels.documents_panel(
                await self._services.list_documents(await interaction.readers()), await interaction.words()
            )
        )

    async def _insights(self, interaction: InteractionContext) -> None:
        """Show what was asked, as far as the person may see it; admins only."""
        await interaction.ack(Acknowledgement.PRIVATE_REPLY)
        translator = await interaction.words()
        try:
            report = await self._services.get_insights(
                await interaction.actor(), await interaction.readers(), insights.INSIGHTS_DAYS
            )
        except NotAllowed:
            await interaction.show_privately(text_reply(translator(insights.INSIGHTS_ADMINS_ONLY)))
        else:
            await interaction.show_privately(insights.insights_panel(report, translator))


async def save_preferences(services: BotServices, person: str, choices: Mapping[str, str]) -> Preferences:
    """Store the choices of a person. Return all preferences in force."""
    current = await services.preferences(person)
    changed = current.with_choices(choices)
    if changed != current:
        await services.save_preferences(person, changed)
    return changed
