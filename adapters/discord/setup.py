"""`/setup`: how the bot behaves in a channel or a server, set by its admins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adapters.discord.audience import Audiences
from adapters.discord.ephemeral import Interaction, Presser, honest, say
from adapters.discord.markup import escape
from adapters.replies import setup
from pipeline.errors import NotAllowed, WrongSetting
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Action, Place, PlaceId

_CHANNEL = re.compile(r"(?:<#)?([0-9]+)>?")
CHANNEL, SERVER = "channel", "server"
SERVERS_ONLY = Message("I can be set up in servers only.")


class Setup:
    def __init__(self, desk: Desk, audiences: Audiences) -> None:
        self._desk = desk
        self._audiences = audiences

    async def set_up(self, interaction: Interaction, where: str, choices: Mapping[str, str]) -> None:
        """Set what is chosen for this channel or its server; without choices, show what holds here."""
        async with honest(interaction, "setup"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            by = Presser(interaction, self._desk, self._audiences)
            await say(interaction, (await self._done(interaction, by, where, choices),))

    async def _done(self, interaction: Interaction, by: Presser, where: str, choices: Mapping[str, str]) -> str:
        words, who = await by.words(), await by.actor()
        place = place_of(by.places, where)
        if place is None:
            return words(SERVERS_ONLY)
        if not choices:
            if not self._desk.authority.allows(who, Action.SET_UP):
                return words(setup.ADMINS_ONLY)
            return _shown(place, await self._desk.places.of(place.chain), words)
        if asked := _CHANNEL.fullmatch(choices.get("ask", "").strip()):
            here = interaction.guild.get_channel_or_thread(int(asked[1])) if interaction.guild else None
            channel = str(place.model_copy(update={"channel": asked[1]})) if here else "a channel of another server"
            choices = {**choices, "ask": channel}
        try:
            return f"{words(setup.DONE)}\n{_shown(place, await self._desk.places.set_up(who, place, choices), words)}"
        except NotAllowed:
            return words(setup.ADMINS_ONLY)
        except WrongSetting as error:
            return escape(setup.refusal(error, words))


def place_of(chain: Sequence[PlaceId], where: str) -> PlaceId | None:
    """The place that is meant: of a thread or a forum post, its channel."""
    return chain[0 if where == SERVER else 1] if chain else None


def _shown(place: PlaceId, now: Place, words: Words) -> str:
    where = words(setup.THIS_CHANNEL if place.channel else setup.WHOLE_SERVER)
    rows = "\n".join(f"- {escape(line)}" for line in setup.lines(now, words))
    return f"**{words(setup.TITLE)}** ({where})\n{rows}\n-# {words(setup.EXPLAINED)}"
