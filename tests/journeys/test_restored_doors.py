"""A restore brings back what was known, and nobody who was turned away since."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.values.api_access import ApiKey, Identity
from storage.folder import DATABASE_FILE
from storage.open import open_storage
from storage.settings import link_key
from storage.sqlite.restore import restore_backup

ANN = Identity(person="web:ann", name="Ann", groups=("web:group:leads",))


def names(keys: Sequence[ApiKey]) -> list[str]:
    return [key.name for key in keys]


async def backed_up(folder: Path, keys: Sequence[str] = ("kept", "stolen")) -> tuple[Path, dict[str, str]]:
    """A data folder `data` with a session and keys, and its backup; the secrets."""
    async with open_storage(folder / "data") as storage:
        secrets = {"session": await storage.sessions.create(ANN), "links": await link_key(storage.database)}
        secrets |= {name: (await storage.api_keys.add(name, (), 60))[1] for name in keys}
        return await storage.back_up(folder / "away.db"), secrets


async def opening(data: Path, secrets: dict[str, str]) -> set[str]:
    """Which of the secrets open anything."""
    async with open_storage(data) as storage:
        found = {name for name, secret in secrets.items() if await storage.api_keys.find_key(secret)}
        if await storage.sessions.get(secrets["session"]) or await storage.sessions.latest_of(ANN.person):
            found.add("session")
        if await link_key(storage.database) == secrets["links"]:
            found.add("links")
    return found


@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
async def test_after_a_restore_everybody_signs_in_again_links_are_new_and_revoked_keys_stay_revoked(
    tmp_path: Path, again: bool
) -> None:
    backup, secrets = await backed_up(tmp_path)
    assert await opening(tmp_path / "data", secrets) == {"session", "links", "kept", "stolen"}
    async with open_storage(tmp_path / "data") as storage:
        await storage.api_keys.revoke("stolen")
    restored = await restore_backup(backup, tmp_path / "data")
    if again:
        restored = await restore_backup(backup, tmp_path / "data")
    assert await opening(tmp_path / "data", secrets) == {"kept"}
    assert (names(restored.revoked), names(restored.unchecked)) == (["stolen"], [])


async def test_what_was_revoked_just_before_the_machine_went_down_stays_revoked(tmp_path: Path) -> None:
    backup, secrets = await backed_up(tmp_path)
    (tmp_path / "after").mkdir()
    async with open_storage(tmp_path / "data") as storage:
        await storage.api_keys.revoke("stolen")
        for file in (DATABASE_FILE, f"{DATABASE_FILE}-wal"):
            shutil.copy(tmp_path / "data" / file, tmp_path / "after" / file)
    restored = await restore_backup(backup, tmp_path / "after")
    assert names(restored.revoked) == ["stolen"]
    assert await opening(tmp_path / "after", secrets) == {"kept"}


def torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def scribbled(file: Path) -> None:
    file.write_bytes(b"not a database " * 1000)


def changed(statements: str, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.executescript(statements)


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


PRESENT: dict[str, Callable[[Path], object]] = {
    "damaged": scribbled,
    "torn": torn,
    "empty": lambda file: file.write_bytes(b""),
    "missing": Path.unlink,
    "a folder": a_folder,
    "without keys": lambda file: changed("DROP TABLE api_key", file),
    "with keys that are none": lambda file: changed("UPDATE api_key SET digest = X'FF', revoked_at = 'long ago'", file),
    "with text that is none": lambda file: changed("UPDATE api_key SET digest = CAST(X'FF' || id AS TEXT)", file),
    "another": lambda file: changed("DELETE FROM api_key", file),
}


@pytest.mark.parametrize("present", PRESENT)
async def test_keys_that_the_present_database_says_nothing_of_are_named_and_the_restore_goes_on(
    tmp_path: Path, present: str
) -> None:
    keys = ("kept",) if "none" in present else ("kept", "stolen")
    backup, secrets = await backed_up(tmp_path, keys)
    for file in (tmp_path / "data").glob(f"{DATABASE_FILE}-*"):
        file.unlink()
    PRESENT[present](tmp_path / "data" / DATABASE_FILE)
    restored = await restore_backup(backup, tmp_path / "data")
    assert names(restored.unchecked) == list(keys)
    assert restored.revoked == []
    assert await opening(tmp_path / "data", secrets) == set(keys)


async def test_a_key_that_was_revoked_at_no_known_time_stays_revoked(tmp_path: Path) -> None:
    backup, secrets = await backed_up(tmp_path)
    changed("UPDATE api_key SET revoked_at = 'long ago' WHERE body LIKE '%stolen%'", tmp_path / "data" / DATABASE_FILE)
    restored = await restore_backup(backup, tmp_path / "data")
    assert names(restored.revoked) == ["stolen"]
    assert await opening(tmp_path / "data", secrets) == {"kept"}
    async with open_storage(tmp_path / "data") as storage:
        assert [key.name for key in await storage.api_keys.all() if key.revoked] == ["stolen"]


async def test_where_there_is_no_data_folder_all_keys_that_open_again_are_named(tmp_path: Path) -> None:
    backup, secrets = await backed_up(tmp_path)
    async with open_storage(tmp_path / "data") as storage:
        await storage.api_keys.revoke("stolen")
        backup = await storage.back_up(tmp_path / "later.db")
    restored = await restore_backup(backup, tmp_path / "new")
    assert (names(restored.revoked), names(restored.unchecked)) == ([], ["kept"])
    assert await opening(tmp_path / "new", secrets) == {"kept"}
