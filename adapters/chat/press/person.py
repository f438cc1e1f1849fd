"""What somebody asks for themselves: what is indexed, what is kept about them, how they are answered, insights."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from adapters.chat.press.presser import Presser, Then
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Button
from adapters.chat.words import insights
from pipeline.errors import NotAllowed
from pipeline.ports import Desk
from pipeline.values import Preferences, replace
from pipeline.words import wording

SOURCES, INSIGHTS = "sources", "insights"
"""Commands."""


class OwnData:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def handlers(self) -> Mapping[str, Callable[[Presser], Awaitable[None]]]:
        return {
            Button.EXPORT: self._export,
            Button.FORGET: self._warn,
            Button.FORGET_NOW: self._forget,
            SOURCES: self._sources,
            INSIGHTS: self._insights,
        }

    async def _export(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        await by.give(await self._desk.export(by.pressed.person, await by.readers()))

    async def _warn(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        speech = await by.words()
        warning = plain(speech(words.FORGET_WARNING))
        await by.show(replace(warning, language=speech.language, actions=(Button.FORGET_NOW,)))

    async def _forget(self, by: Presser) -> None:
        await by.ack(Then.TOLD)
        erased = await self._desk.forget(by.pressed.person)
        speech = await by.words()
        await by.say(speech(words.FORGOTTEN, entries=speech.count(wording.ENTRIES, erased)))

    async def _sources(self, by: Presser) -> None:
        """What is indexed and visible to them."""
        await by.ack(Then.TOLD)
        await by.show(panels.documents(await self._desk.documents(await by.readers()), await by.words()))

    async def _insights(self, by: Presser) -> None:
        """What was asked, as far as they may hear of it; to admins alone."""
        await by.ack(Then.TOLD)
        speech = await by.words()
        try:
            seen = await self._desk.insights(await by.actor(), await by.readers(), insights.DAYS)
        except NotAllowed:
            await by.show(plain(speech(insights.ADMINS_ONLY)))
        else:
            await by.show(insights.panel(seen, speech))


async def prefer(desk: Desk, person: str, chosen: Mapping[str, str]) -> Preferences:
    """What holds for them once what they chose is kept."""
    before = await desk.preferences(person)
    now = before.choosing(chosen)
    if now != before:
        await desk.prefer(person, now)
    return now
