"""`/setup`: how the bot behaves in a channel or a server, set by its admins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adapters.chat.press.presser import Then
from adapters.chat.press.setup import may_set_up, set_up
from adapters.chat.words import setup
from adapters.discord.parts.markup import escape
from adapters.discord.post.alone import Interaction
from adapters.discord.press.presser import DiscordPresser
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Place, PlaceId, replace

_CHANNEL = re.compile(r"(?:<#)?([0-9]+)>?")
CHANNEL, SERVER = "channel", "server"
SERVERS_ONLY = Message("I can be set up in servers only.")


async def set_by_command(desk: Desk, by: DiscordPresser, where: str, choices: Mapping[str, str]) -> None:
    """Set what is chosen for this channel or its server; without choices, show what holds here."""
    await by.ack(Then.TOLD)
    words, place = await by.words(), place_of(by.pressed.places, where)
    if place is None:
        await by.say(words(SERVERS_ONLY))
    elif choices:
        if now := await set_up(desk, by, place, _named(by.interaction, place, choices)):
            await by.show_texts((f"{words(setup.DONE)}\n{_shown(place, now, words)}",))
    elif await may_set_up(desk, by):
        await by.show_texts((_shown(place, await desk.places.of(place.chain), words),))
    else:
        await by.say(words(setup.ADMINS_ONLY))


def _named(interaction: Interaction, place: PlaceId, choices: Mapping[str, str]) -> Mapping[str, str]:
    """The choices with the channel where people are asked as the settings name it."""
    asked = _CHANNEL.fullmatch(choices.get("ask", "").strip())
    if asked is None:
        return choices
    here = interaction.guild.get_channel_or_thread(int(asked[1])) if interaction.guild else None
    channel = str(replace(place, channel=asked[1])) if here else "a channel of another server"
    return {**choices, "ask": channel}


def place_of(chain: Sequence[PlaceId], where: str) -> PlaceId | None:
    """The place that is meant: of a thread or a forum post, its channel."""
    return chain[0 if where == SERVER else 1] if chain else None


def _shown(place: PlaceId, now: Place, words: Words) -> str:
    where = words(setup.THIS_CHANNEL if place.channel else setup.WHOLE_SERVER)
    rows = "\n".join(f"- {escape(line)}" for line in setup.lines(now, words))
    return f"**{words(setup.TITLE)}** ({where})\n{rows}\n-# {words(setup.EXPLAINED)}"
