"""Who sees what was said in channels: random workspaces and servers, against a model of who may read what.

A combination: a place where somebody asks, whoever asks there, and a channel that is a source. It leaks where a reader
of the reply may not read that channel."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from adapters.discord.events.incoming import CommandReplyTarget
from adapters.slack.platform import SLACK
from bot.registry import platforms
from pipeline.ports import PlatformAdapter
from pipeline.rules.access import AccessPolicy, resolve_audience
from pipeline.rules.tenancy import workspace_scope
from pipeline.values import ConversationId, IncomingMessage, MessageKey, MessageTrigger, PlaceId, PlaceSettings
from storage.open import Storage
from tests.contracts.discord_driver import DiscordDriver
from tests.contracts.slack_driver import SlackDriver, user
from tests.doubles.engines import Engine
from tests.doubles.samples import chunks, document
from tests.doubles.slack.workspace import BOT, TEAM
from tests.trials import Count, trials

CHANNELS, PEOPLE, WORLDS = 16, 12, trials(1)
RULES = AccessPolicy(platforms=platforms())


class Asked(NamedTuple):
    """A question in some place."""

    by: str
    readers: frozenset[str]
    """Of the reply."""
    message: IncomingMessage
    alone: bool


@dataclass
class World:
    """Who may read which channel, and every question that can be asked."""

    may_read: Callable[[str, PlaceId], bool]
    channels: list[PlaceId]
    asked: list[Asked]


def message(place: PlaceId, author: str, manner: MessageTrigger, reply_to: str = "") -> IncomingMessage:
    channel = place.channel
    conversation = ConversationId(platform=place.platform, space=place.space, channel=channel, thread="1.1")
    key = MessageKey(platform=place.platform, space=place.space, channel=channel, message="1")
    at, said_in = datetime.now(UTC), place.chain
    return IncomingMessage(
        place=key,
        conversation=conversation,
        asker=author,
        text="?",
        sent_at=at,
        manner=manner,
        said_in=said_in,
        reply_to=reply_to,
    )


def slack_world(driver: SlackDriver, dice: random.Random) -> World:
    """People and guests, open and closed channels."""
    workspace, everyone = driver.workspace, [user(f"p{number}") for number in range(PEOPLE)]
    workspace.people.update(everyone)
    workspace.guests = {one for one in everyone if dice.random() < 0.2}
    inside = set(everyone) - workspace.guests
    workspace.channels.clear()
    for number in range(CHANNELS):
        channel = workspace.add(f"C0X{number}", dice.choice(["channel", "private"]))
        channel.members = {BOT, *dice.sample(everyone, dice.randint(1, PEOPLE))}
    places = [PlaceId(platform="slack", space=TEAM, channel=name) for name in workspace.channels]
    members = {place: workspace.channels[place.channel].members - {BOT} for place in places}
    opened = {place for place in places if workspace.channels[place.channel].kind == "channel"}

    def may_read(person: str, place: PlaceId) -> bool:
        return person in inside and (place in opened or person in members[place])

    asked = []
    for one in everyone:
        key = str(SLACK.person_id(TEAM, one))
        direct = PlaceId(platform="slack", space=TEAM, channel=workspace.dm(one).id)
        asked.append(Asked(one, frozenset({one}), message(direct, key, MessageTrigger.DIRECT), alone=one in inside))
        for place in places:
            readers = members[place] | (inside if place in opened else set())
            if one in readers:
                asked.append(Asked(one, frozenset({one}), message(place, key, MessageTrigger.COMMAND), alone=False))
                asked.append(Asked(one, frozenset(readers), message(place, key, MessageTrigger.MENTION), alone=False))
    return World(may_read, places, asked)


def discord_world(driver: DiscordDriver, dice: random.Random) -> World:
    """Members, open channels, and channels that only some of them see."""
    people = {name: driver._person(name) for name in (f"p{number}" for number in range(PEOPLE))}
    places: list[PlaceId] = []
    seen: dict[PlaceId, set[str]] = {}
    for number in range(CHANNELS):
        channel = driver.world.channel(driver.guild, f"x{number}")
        place = PlaceId(platform="discord", space=driver.guild, channel=channel)
        some = set(dice.sample(sorted(people), dice.randint(1, PEOPLE)))
        opened = dice.random() < 0.5
        seen[place] = set(people) if opened else some
        if opened and dice.random() < 0.3:
            out = dice.choice(sorted(people))
            seen[place] = seen[place] - {out}
            driver.world.shut_out(channel, people[out]["id"])
        if not opened:
            driver.world.close(channel, *(people[name]["id"] for name in some))
        places.append(place)

    def may_read(person: str, place: PlaceId) -> bool:
        return person in seen[place]

    asked = []
    for name, person in people.items():
        key = f"discord:{person['id']}"
        direct = PlaceId(platform="discord", space="dm", channel=driver.world.direct(person))
        asked.append(Asked(name, frozenset({name}), message(direct, key, MessageTrigger.DIRECT), alone=True))
        for place in places:
            if name in seen[place]:
                private = str(CommandReplyTarget("token", is_private=True))
                asked.append(
                    Asked(name, frozenset({name}), message(place, key, MessageTrigger.COMMAND, private), alone=False)
                )
                asked.append(
                    Asked(name, frozenset(seen[place]), message(place, key, MessageTrigger.MENTION), alone=False)
                )
    return World(may_read, places, asked)


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(visible_to=RULES.visible_collections) as opened:
        yield opened


@pytest.mark.parametrize("kind", [SlackDriver, DiscordDriver])
async def test_nobody_hears_what_was_said_where_they_may_not_read(
    kind: type[SlackDriver | DiscordDriver], engine: Engine, storage: Storage, tmp_path: Path, record_property: Count
) -> None:
    """Each engine has worlds of its own."""
    combinations = 0
    for number in range(WORLDS):
        driver = kind(tmp_path / f"data{number}")
        dice = random.Random(f"{kind.__name__} {'PostgreSQL' if engine.url else 'SQLite'} {number}")
        if isinstance(driver, SlackDriver):
            await driver.gather()
            world = slack_world(driver, dice)
        else:
            await driver.discord.__aenter__()
            world = discord_world(driver, dice)
        driver.rig.places |= {place: PlaceSettings(index=True) for place in world.channels}
        await driver.connect()
        try:
            combinations += await leakless(world, driver.adapter, storage)
        finally:
            await driver.close()
    record_property("combinations", combinations)


async def leakless(world: World, adapter: PlatformAdapter | None, storage: Storage) -> int:
    """How many combinations there are, none of which leaks; and whoever asks alone hears all that they may."""
    assert adapter
    for place in world.channels:
        held = document(f"{place}:1", collection=str(place), source=str(place))
        await storage.library.replace_document(held, chunks(held.id, [f"What was said in {place}."]), None, "")
    found: dict[tuple[str, frozenset[str]], set[str]] = {}
    for asked in world.asked:
        readers = await adapter.get_readers(asked.message)
        with workspace_scope(asked.message.conversation.workspace):
            there = resolve_audience(readers, [str(place) for place in world.channels], RULES)
            key = asked.message.conversation.workspace, there.collections
            if key not in found:
                found[key] = {one.collection for one in await storage.library.list_documents(there)}
        heard = found[key]
        assert heard <= allowed(world, asked.readers), asked
        if asked.alone:
            assert heard == allowed(world, [asked.by]), asked
    return len(world.asked) * len(world.channels)


def allowed(world: World, readers: Iterable[str]) -> set[str]:
    """The channels that all of them may read."""
    people = list(readers)
    return {str(place) for place in world.channels if all(world.may_read(one, place) for one in people)}
