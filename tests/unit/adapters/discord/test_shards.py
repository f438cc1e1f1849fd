"""Beyond 2,500 servers: several sessions in one process, and a part of them in each of several."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.settings import DiscordSettings
from adapters.discord.state import DiscordState
from adapters.discord.transport.client import GUILDS_SECONDS, DiscordShardedClient
from adapters.discord.transport.identify import SHARDED_IDENTIFIES, IdentifyBudget
from adapters.discord.transport.shards import ShardRange
from pipeline.errors import Unavailable
from pipeline.values import PlaceId
from tests.contracts.discord_driver import QUICK, DiscordDriver
from tests.contracts.driver import Said
from tests.contracts.waiting import until
from tests.doubles.discord.server import FakeDiscord

QUESTION = "How much leave do I get?"


class ShardedDriver(DiscordDriver):
    """Servers on both of two shards: `guild` on the first one, `elsewhere` on the second."""

    shards = "0-1/2"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.guild, self.elsewhere = self._on(0), self._on(1)
        self.channel = self.world.channel(self.guild, "team")
        self.far = self.world.channel(self.elsewhere, "team")
        self.home = [int(self.guild), int(self.elsewhere)]

    def _on(self, shard: int) -> str:
        while (int(self.world.snowflake()) >> 22) % 2 != shard:
            self.world.clock_offset += 0.001
        return next(guild for guild in iter(lambda: self.world.guild("Acme"), "") if (int(guild) >> 22) % 2 == shard)

    async def connect(self) -> None:
        await super().connect()
        wanted = set(ShardRange.parse(self.shards).ids)
        await until(lambda: {one.shard[0] for one in self.discord.gateway.sessions.values()} == wanted)
        await self.caught_up()

    async def mention_far(self, person: str, text: str) -> Said:
        self.world.join(self.elsewhere, self._person(person))
        return await self._say(person, self.far, f"@Citewell {text}")


class SecondOnly(ShardedDriver):
    """This process has the second shard alone."""

    shards = "1/2"


@pytest.fixture
async def driver(tmp_path: Path) -> AsyncIterator[ShardedDriver]:
    opened = await ShardedDriver.open(tmp_path / "data")
    yield opened
    await opened.close()


async def asked(driver: ShardedDriver) -> list[Said]:
    return [
        await driver.mention("ann", QUESTION),
        await driver.mention_far("bob", QUESTION),
        await driver.direct("cat", QUESTION),
    ]


async def test_servers_of_every_shard_and_direct_messages_are_answered_once(driver: ShardedDriver) -> None:
    said = await asked(driver)
    await driver.rig.settled()
    assert [len(driver.replies(one)) for one in said] == [1, 1, 1]
    assert not any(readers.external for readers in driver.rig.readers)


async def test_what_was_said_while_all_sessions_were_lost_is_answered_once(driver: ShardedDriver) -> None:
    await asked(driver)
    await driver.rig.settled()
    await driver.rig.end()
    await driver.discord.gateway.drop(forget=True)
    said = [
        await driver.discord.say(driver._person("ann"), at, f"@Citewell {QUESTION}")
        for at in (driver.channel, driver.far)
    ]
    await driver.connect()
    await driver.rig.settled()
    assert [len(driver.replies(Said("ann", one))) for one in said] == [1, 1]


async def test_a_shard_that_comes_back_with_a_new_session_has_what_was_missed_read(driver: ShardedDriver) -> None:
    await asked(driver)
    await driver.rig.settled()
    gateway = driver.discord.gateway
    (far,) = [one for one in gateway.sessions.values() if one.shard[0] == 1]
    socket, far.socket = far.socket, None
    del gateway.sessions[far.id]
    assert socket is not None
    missed = await driver.discord.say(driver._person("bob"), driver.far, f"@Citewell {QUESTION}")
    await socket.close(code=4000)
    await until(lambda: driver.replies(Said("bob", missed)))
    await driver.rig.settled()
    assert len(driver.replies(Said("bob", missed))) == 1
    assert len(driver.replies(await driver.mention("ann", QUESTION))) <= 1


async def test_where_one_shard_is_new_and_another_goes_on_the_gap_is_read_once_both_are_there(
    driver: ShardedDriver,
) -> None:
    client = driver.adapter and driver.adapter._connection and driver.adapter._connection.client
    assert isinstance(client, DiscordShardedClient)
    for event in (client.on_shard_disconnect(0), client.on_shard_disconnect(1), client.on_disconnect()):
        await event
    await client.on_connect()
    read = client._catch_up_task
    await client.on_shard_ready(0)
    assert client._catch_up_task is read
    await client.on_resumed()
    await client.on_shard_resumed(1)
    assert client._catch_up_task is not read
    assert not client._caught_up
    await client.wait_for_guilds()


async def test_while_a_shard_is_cut_off_it_is_not_known_who_may_read_what(driver: ShardedDriver) -> None:
    client = driver.adapter and driver.adapter._connection and driver.adapter._connection.client
    assert isinstance(client, DiscordShardedClient)
    await client.wait_for_guilds()
    read = client._catch_up_task
    await client.on_disconnect()
    await client.on_shard_disconnect(1)
    assert not client._complete.is_set()
    await client.on_resumed()
    assert not client._complete.is_set()
    await client.on_shard_resumed(1)
    await client.wait_for_guilds()
    assert client._catch_up_task is read


async def test_while_a_shard_is_cut_off_the_servers_of_another_are_answered(driver: ShardedDriver) -> None:
    client = driver.adapter and driver.adapter._connection and driver.adapter._connection.client
    assert isinstance(client, DiscordShardedClient)
    await client.wait_for_guilds()
    await client.on_disconnect()
    await client.on_shard_disconnect(1)
    said = await driver.mention("ann", QUESTION)
    async with asyncio.timeout(GUILDS_SECONDS):
        await driver.rig.settled()
    assert len(driver.replies(said)) == 1


async def test_a_process_hears_the_servers_of_its_shards_alone(tmp_path: Path) -> None:
    driver = await SecondOnly.open(tmp_path / "data")
    near, far, direct = await asked(driver)
    await driver.rig.settled()
    assert [len(driver.replies(one)) for one in (near, far, direct)] == [0, 1, 0]
    assert (tmp_path / "data" / "discord-1-1-of-2.json").exists()
    await driver.close()


async def test_direct_messages_that_were_missed_are_read_by_the_process_of_the_first_shard_alone(
    tmp_path: Path,
) -> None:
    driver = await SecondOnly.open(tmp_path / "data")
    direct = driver.world.direct(driver._person("ann"))
    known = (f"discord:dm:{direct}", "1")
    await driver.rig.storage.database.write(lambda db: db.execute("INSERT INTO seen VALUES ($1, $2)", known))
    read: list[str] = []

    def watched(method: str, path: str, when: str) -> None:
        if method == "GET" and path.endswith(f"/channels/{direct}/messages") and when == "before":
            read.append(driver.shards)

    driver.discord.faults.hook = watched
    for shards in ("1/2", "0/2"):
        driver.shards = shards
        await driver.rig.end()
        await driver.discord.gateway.drop(forget=True)
        await driver.connect()
        await driver.caught_up()
        assert set(read) == {"0/2"} & {shards}
    await driver.close()


async def test_what_another_process_heard_is_left_to_it(tmp_path: Path) -> None:
    """Its servers are not known here, so nobody could tell who reads along."""
    driver = await SecondOnly.open(tmp_path / "data")
    assert driver.adapter is not None
    assert [driver.adapter.can_serve(space) for space in (driver.guild, driver.elsewhere, "dm")] == [False, True, False]
    with pytest.raises(Unavailable, match="another process"):
        await driver.adapter.get_readers(PlaceId(platform="discord", space=driver.guild, channel=driver.channel))
    await driver.close()


# --- The setting and the limits ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "0", "0-3", "4/4", "3-1/8", "0-8/8", "-1/2", "0-1/2 ", "a/b", "0-1/99999"])
def test_what_is_no_range_of_shards_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="FIRST-LAST/TOTAL"):
        ShardRange.parse(text)


@given(total=st.integers(1, 64), cuts=st.sets(st.integers(1, 63)), guild=st.none() | st.integers(0, 2**63))
def test_every_server_is_on_exactly_one_process_when_the_ranges_make_up_the_whole(
    total: int, cuts: set[int], guild: int | None
) -> None:
    starts = sorted({0, *(cut for cut in cuts if cut < total)})
    ranges = [
        ShardRange.parse(f"{first}-{last - 1}/{total}")
        for first, last in zip(starts, [*starts[1:], total], strict=True)
    ]
    assert sum(one.contains(guild) for one in ranges) == 1


@given(total=st.integers(1, 50), size=st.integers(1, 50))
def test_all_processes_together_stay_below_discords_thousand_sessions_a_day(total: int, size: int) -> None:
    parts = [ShardRange(first, min(first + size, total) - 1, total) for first in range(0, total, size)]
    memory = DiscordState(Path("unused"))
    assert sum(IdentifyBudget(memory, shards=part)._budget for part in parts) <= max(SHARDED_IDENTIFIES, 1000)


def test_a_start_of_many_shards_counts_as_one_in_a_row(tmp_path: Path) -> None:
    now = 1_000_000.0
    budget = IdentifyBudget(DiscordState(tmp_path), shards=ShardRange(0, 7, 8), clock=lambda: now)
    for _ in range(8):
        budget.spend()
    assert budget.seconds_until_allowed() == 0.0
    for _ in range(16):
        budget.spend()
    assert budget.seconds_until_allowed() > 0.0


async def test_when_no_session_may_be_opened_today_listening_ends_and_says_so(tmp_path: Path) -> None:
    """discord.py by itself would try the second shard for ever."""
    budget = IdentifyBudget(DiscordState(tmp_path), shards=ShardRange(0, 1, 2), budget=1)
    budget.spend()
    async with FakeDiscord() as discord:
        adapter = DiscordAdapter(
            DiscordSettings(token=discord.token, api_url=discord.api_url, shards="0-1/2"),
            folder=tmp_path,
            echo=lambda _: None,
            timings=QUICK,
            identify_budget=budget,
        )
        with pytest.raises(Unavailable, match="sessions were opened within 24 hours"):
            await adapter.listen(None, None)  # type: ignore[arg-type]
