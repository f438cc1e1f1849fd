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
    def __init__(self, desk: BotServices) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[InteractionContext], Awaitable[None]]]:
        return {
            ReplyButton.EXPORT: self._export,
            ReplyButton.FORGET: self._warn,
            ReplyButton.FORGET_CONFIRMED: self._forget,
            SOURCES_COMMAND: self._sources,
            INSIGHTS_COMMAND: self._insights,
        }

    async def _export(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        await by.send_export(await self._desk.export_person(by.payload.person_id, await by.readers()))

    async def _warn(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        speech = await by.words()
        warning = text_reply(speech(words.FORGET_WARNING))
        await by.show_privately(replace(warning, language=speech.language, buttons=(ReplyButton.FORGET_CONFIRMED,)))

    async def _forget(self, by: InteractionContext) -> None:
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        erased = await self._desk.erase_person(by.payload.person_id)
        speech = await by.words()
        await by.try_reply_privately(speech(words.FORGOTTEN, entries=speech.pluralize(wording.ENTRY_COUNT, erased)))

    async def _sources(self, by: InteractionContext) -> None:
        """Show the indexed documents that the person may see."""
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        await by.show_privately(
            panels.documents_panel(await self._desk.list_documents(await by.readers()), await by.words())
        )

    async def _insights(self, by: InteractionContext) -> None:
        """Show what was asked, as far as the person may see it; admins only."""
        await by.ack(Acknowledgement.PRIVATE_REPLY)
        speech = await by.words()
        try:
            seen = await self._desk.get_insights(await by.actor(), await by.readers(), insights.INSIGHTS_DAYS)
        except NotAllowed:
            await by.show_privately(text_reply(speech(insights.INSIGHTS_ADMINS_ONLY)))
        else:
            await by.show_privately(insights.insights_panel(seen, speech))


async def save_preferences(desk: BotServices, person: str, chosen: Mapping[str, str]) -> Preferences:
    """Store the choices of a person. Return all preferences in force."""
    before = await desk.preferences(person)
    now = before.with_choices(chosen)
    if now != before:
        await desk.save_preferences(person, now)
    return now
