"""Workspaces that people added the bot to are kept on every engine, and their tokens are read by nobody else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet

from pipeline.errors import Misconfigured
from pipeline.values import PlaceId
from pipeline.values.platform import Installation
from storage.open import Storage
from storage.people.installations import STATE_LIFETIME, SQLInstallationStore, TokenCipher
from tests.doubles.engines import Engine, traces

NOW = datetime(2026, 11, 23, tzinfo=UTC)
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def installed(space: str = "slack:T1", token: str = "xoxb-quetzalcoatlus") -> Installation:
    scopes = frozenset({"chat:write", "commands"})
    place = PlaceId.parse(space)
    return Installation(space=place, name="Acme", token=token, user="U0BOT", bot="B0BOT", scopes=scopes, at=NOW)


def of(storage: Storage, *keys: str) -> SQLInstallationStore:
    return SQLInstallationStore(storage.database, TokenCipher(keys or [NEW]))


async def test_an_installation_is_found_by_its_workspace_and_the_last_one_counts(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage).put(installed(token="xoxb-first"))
        await of(storage).put(installed())
        await of(storage).put(installed("slack:T2", "xoxb-2"))
        assert await of(storage).get(PlaceId.parse("slack:T1")) == installed()
        assert await of(storage).get(PlaceId.parse("slack:T3")) is None
        assert await of(storage).all() == [installed(), installed("slack:T2", "xoxb-2")]


async def test_no_token_is_readable_in_what_is_stored(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage).put(installed())
        assert await traces(storage, ["quetzalcoatlus"]) == []
    assert "quetzalcoatlus" not in repr(installed())


async def test_without_the_right_key_it_is_said_which_setting_is_wrong(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage, OLD).put(installed())
        with pytest.raises(Misconfigured, match=r"CITEWELL_ENCRYPTION_KEYS.*none of the keys opens"):
            await of(storage, NEW).all()
        with pytest.raises(Misconfigured, match=r"CITEWELL_ENCRYPTION_KEYS.*none of the keys opens"):
            await of(storage, NEW).reencrypt()


async def test_after_a_start_with_a_new_key_before_the_old_one_the_old_one_is_needed_no_more(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage, OLD).put(installed())
        await of(storage, NEW, OLD).reencrypt()
        assert await of(storage, NEW).all() == [installed()]


async def test_a_token_moved_to_another_workspace_in_the_database_is_refused(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage).put(installed())
        await storage.database.write(
            lambda db: db.execute("UPDATE installation SET space = $1", ("slack:T2",)).rowcount, durable=True
        )
        with pytest.raises(Misconfigured, match="sealed for another workspace"):
            await of(storage).get(PlaceId.parse("slack:T2"))


async def test_a_workspace_that_removed_the_bot_leaves_no_installation_and_the_next_one_stays(engine: Engine) -> None:
    async with engine.storage() as storage:
        await of(storage).put(installed("slack:T1"))
        await of(storage).put(installed("slack:T12"))
        await storage.inbox.erase_space(PlaceId.parse("slack:T1"))
        assert await of(storage).all() == [installed("slack:T12")]


async def test_a_state_is_taken_once_whichever_process_gave_it_out(engine: Engine) -> None:
    async with engine.storage() as storage:
        state = of(storage).issue_state()
        assert await of(storage).consume_state(state)
        assert not await of(storage).consume_state(state)
        assert await of(storage).consume_state(of(storage).issue_state())


async def test_what_nobody_gave_out_is_no_state(engine: Engine) -> None:
    async with engine.storage() as storage:
        foreign = of(storage, OLD).issue_state()
        for state in ("", "state", foreign, TokenCipher([NEW]).encrypt("token"), of(storage).issue_state()[:-2] + "aa"):
            assert not await of(storage).consume_state(state)


async def test_a_state_is_no_good_after_ten_minutes(engine: Engine) -> None:
    async with engine.storage() as storage:
        given = of(storage)
        state = given.issue_state()
        later = STATE_LIFETIME.total_seconds() + 5
        assert not await SQLInstallationStore(
            storage.database, TokenCipher([NEW]), clock=lambda: given._clock() + later
        ).consume_state(state)


@pytest.mark.parametrize(
    ("keys", "said"), [([], "is not set"), (["short"], "invalid key"), ([NEW, "é" * 44], "invalid key")]
)
def test_keys_that_are_none_are_refused_with_how_to_make_one(keys: list[str], said: str) -> None:
    with pytest.raises(Misconfigured, match=said) as caught:
        TokenCipher(keys)
    assert "urlsafe_b64encode" in caught.value.what_to_do
