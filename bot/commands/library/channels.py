"""`citewell sources add slack:#channel`: channels as a source."""

from __future__ import annotations

from bot.commands.terminal import confirm_forgetting, run, say
from bot.config.platforms import wanted
from bot.config.settings import Settings
from pipeline.errors import Refused
from pipeline.rules.platforms import alternatives
from pipeline.values import PlaceId
from pipeline.words import wording


def is_channel(text: str) -> bool:
    """Whether it is a channel of a platform, by name or id: `slack:#ops`, `discord:1234:5678`."""
    return ":" in text


def add(found: Settings, text: str, days: int | None) -> None:
    """Let what is said there be a source, as an admin can in chat."""

    async def work() -> None:
        choices = {"index": "true"} | ({"index_days": str(days)} if days else {})
        place = await _set(found, text, choices)
        say(f"What people say in {place} is a source now. citewell run reads it; how far: citewell sources list")

    run(work())


def remove(found: Settings, text: str, *, yes: bool) -> None:
    """Forget what was said there."""

    async def work() -> None:
        from bot.wiring import open_citewell

        place = await _place(found, text)
        async with open_citewell(found) as citewell:
            messages, _ = await citewell.storage.said.count(place)
            if messages and not yes:
                confirm_forgetting(f"all {wording.counted(messages, 'message')} of {text}")
        await _set(found, str(place), {"index": "default"})
        async with open_citewell(found) as citewell:
            if place in await citewell.desk.places.indexed():
                table = f'[places."{place}"]'
                raise Refused(f"{table} in citewell.toml says index = true", what_to_do="Take that out of the file.")
            await citewell.storage.said.forget(place)
        say(f"{place} is no source any more, {wording.counted(messages, 'message')} removed")

    run(work())


async def _set(found: Settings, text: str, choices: dict[str, str]) -> PlaceId:
    from bot.desks.authority import AT_THE_TERMINAL
    from bot.wiring import open_citewell

    place = await _place(found, text)
    async with open_citewell(found) as citewell:
        await citewell.desk.places.set_up(AT_THE_TERMINAL, place, choices)
    return place


async def _place(found: Settings, text: str) -> PlaceId:
    """Raises Refused where there is no such channel, or more than one."""
    platform, _, name = text.partition(":")
    config = next((one for one in wanted(found) if one.platform.name == platform), None)
    if config is None:
        names = [one.platform.name for one in wanted(found)]
        there = alternatives(names) if names else "none yet: see README.md"
        raise Refused(f"there is no platform {platform} here", what_to_do=f"Set up is {there}.")
    if config.platform.channel.fits(text):
        return PlaceId.parse(text)
    named = await config.channels_named(name.removeprefix("#"))
    if not named:
        raise Refused(f"the bot is in no channel {name}", what_to_do="Invite it there, or check the name.")
    if len(named) > 1:
        raise Refused(f"{len(named)} channels are called {name}", what_to_do=f"Name one: {', '.join(map(str, named))}")
    return named[0]
