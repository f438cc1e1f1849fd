"""Who may come in, and what programs were answered, on both engines: sessions, keys, replies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from pipeline.errors import Busy, Refused
from pipeline.values import replace
from pipeline.values.api_access import Identity
from storage.open import Storage, open_storage
from storage.people.credentials import (
    ANSWER_TIMEOUT_SECONDS,
    REPLY_LIFETIME_SECONDS,
    SESSION_IDLE_SECONDS,
    SESSION_MAX_SECONDS,
    SQLIdempotencyStore,
    SQLSessionStore,
)
from tests.doubles.engines import Engine
from tests.doubles.postgres import Server

ANN = Identity(person="web:ann", name="Ann", groups=("web:group:staff",))


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def storage(engine: Engine) -> AsyncIterator[Storage]:
    async with engine.storage(embedder="m") as opened:
        yield opened


async def test_a_session_lasts_while_it_is_used_and_no_longer_than_a_month(storage: Storage) -> None:
    clock = Clock()
    sessions = SQLSessionStore(storage.database, clock=clock)
    secret = await sessions.create(ANN)
    assert (await sessions.get(secret + "x")) is None
    for _ in range(3):
        clock.now += SESSION_IDLE_SECONDS * 0.7
        found = await sessions.get(secret)
        assert (found is None) == (clock.now - Clock.now > SESSION_MAX_SECONDS)
    idle = await sessions.create(ANN)
    clock.now += SESSION_IDLE_SECONDS + 1
    assert await sessions.get(idle) is None
    assert await sessions.latest_of(ANN.person) is None


LEADS = replace(ANN, groups=("web:group:leads",))
BOB = Identity(person="web:bob", name="Bob", groups=("web:group:leads",))


async def test_what_was_told_of_a_person_last_holds_in_all_their_sessions_and_in_nobody_elses(
    storage: Storage,
) -> None:
    clock = Clock()
    sessions = SQLSessionStore(storage.database, clock=clock)
    older, of_bob = await sessions.create(LEADS), await sessions.create(BOB)
    clock.now += 60
    newer = await sessions.create(ANN)
    for secret in (older, newer):
        found = await sessions.get(secret)
        assert found
        assert found.who == ANN
    bob = await sessions.get(of_bob)
    assert bob
    assert bob.who == BOB
    await sessions.refresh_identity(replace(ANN, name="Annie"))
    for session in (await sessions.get(older), await sessions.latest_of(ANN.person)):
        assert session
        assert session.who.name == "Annie"


async def test_who_signs_out_of_the_newest_session_gets_no_older_groups_back(storage: Storage) -> None:
    clock = Clock()
    sessions = SQLSessionStore(storage.database, clock=clock)
    older = await sessions.create(LEADS)
    clock.now += 60
    newer = await sessions.create(ANN)
    await sessions.end(newer)
    assert await sessions.get(newer) is None
    for session in (await sessions.get(older), await sessions.latest_of(ANN.person)):
        assert session
        assert session.who == ANN
    await sessions.end(older)
    assert await sessions.latest_of(ANN.person) is None


async def test_of_two_processes_in_which_somebody_signs_in_at_once_one_tells_last(engine: Engine) -> None:
    async with engine.storage() as one, engine.database() as other:
        both = (one.sessions, SQLSessionStore(other))
        for _ in range(10):
            secrets = await asyncio.gather(both[0].create(ANN), both[1].create(LEADS))
            told = [session.who for secret in secrets for each in both if (session := await each.get(secret))]
            assert len(told) == 4
            assert len(set(told)) == 1


async def test_no_secret_is_kept(storage: Storage) -> None:
    secret = await storage.sessions.create(ANN)
    _, key = await storage.api_keys.add("bot", (), 60)
    rows = await storage.database.read(
        lambda db: str([db.execute(f"SELECT * FROM {table}").fetchall() for table in ("web_session", "api_key")])
    )
    assert "web:ann" in rows
    assert secret not in rows
    assert key not in rows


async def test_a_key_opens_until_it_is_revoked_by_name_or_id(storage: Storage) -> None:
    made, secret = await storage.api_keys.add("bot", ("hr",), 5)
    found = await storage.api_keys.find_key(secret)
    assert found == made
    with pytest.raises(Refused, match="called bot"):
        await storage.api_keys.add("bot", (), 60)
    assert await storage.api_keys.revoke("nobody") is None
    assert await storage.api_keys.revoke(made.id) == made
    assert await storage.api_keys.revoke("bot") is None
    assert await storage.api_keys.find_key(secret) is None


async def test_a_request_is_answered_once_a_day_and_again_where_it_was_cut_off(storage: Storage) -> None:
    clock = Clock()
    replies = SQLIdempotencyStore(storage.database, clock=clock)
    assert await replies.begin("one", "d") is None
    with pytest.raises(Busy):
        await replies.begin("one", "d")
    clock.now += ANSWER_TIMEOUT_SECONDS + 1
    assert await replies.begin("one", "d") is None
    await replies.complete("one", '{"a": 1}')
    assert await replies.begin("one", "d") == '{"a": 1}'
    with pytest.raises(Refused):
        await replies.begin("one", "other")
    clock.now += REPLY_LIFETIME_SECONDS + 1
    assert await replies.begin("one", "other") is None
    await replies.abandon("one")
    assert await replies.begin("one", "d") is None


async def test_after_a_dump_was_restored_the_documented_statement_ends_all_sessions(
    postgres: Server, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs/operations/postgresql.md").read_text()
    said = re.search(r'PGOPTIONS="([^"]+)" psql --command="([^"]+)"', page)
    assert said
    with postgres.database() as url:
        async with open_storage(tmp_path, database=url) as storage:
            secret = await storage.sessions.create(ANN)
            with psycopg.connect(url, options=said[1]) as raw:
                raw.execute(said[2])
            assert await storage.sessions.get(secret) is None
