"""Both engines have what is declared, whether a database is new or was written by an earlier version, with its rows."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pipeline.errors import Misconfigured, Unavailable
from storage import migrations
from storage.database import Connection
from storage.open import open_storage
from storage.schema.tables import TABLES
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.postgres import Server
from tests.doubles.samples import chunks, document, message

SOMEBODY = {"actor", "asker", "author", "person", "recipient", "resolver", "scope"}
"""What columns are called that name somebody."""
DECLARED = {table.name: list(table.column_names) for table in TABLES}
OWN = re.compile(r"live|migration|mean_vector|sqlite_|_sqlite_migrations|term|words")
"""What an engine has beside what is declared."""
_MADE = "SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger', 'view') AND name NOT GLOB '*sqlite_*'"
_COLUMNS = "SELECT name FROM pragma_table_info($1)"
_POSTGRES = {
    "columns": """
        SELECT table_name, column_name, row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position),
            data_type, domain_name, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = 'public'
    """,
    "indexes": """
        SELECT indexname, replace(indexdef, 'public.', '') FROM pg_indexes
        WHERE schemaname = 'public' AND indexname !~ '^mean_vector_[0-9]'
    """,
    "triggers": "SELECT tgname, tgrelid::regclass::text, tgfoid::regproc::text FROM pg_trigger WHERE NOT tgisinternal",
    "policies": "SELECT tablename, policyname, qual FROM pg_policies",
    "functions": """
        SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname <> 'empty'
            AND prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('sql', 'plpgsql'))
    """,
    "constraints": """
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
}


async def sqlite_shape(folder: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The columns of each table, in order, and how indexes and triggers were made."""

    def work(db: Connection) -> tuple[dict[str, list[str]], dict[str, str]]:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        columns = {name: [column for (column,) in db.execute(_COLUMNS, (name,))] for name in tables}
        return columns, dict(db.execute(_MADE).fetchall())

    async with open_storage(folder) as storage:
        columns, made = await storage.database.read(work)
    return {name: found for name, found in columns.items() if name in DECLARED or not OWN.match(name)}, made


def postgres_shape(url: str) -> dict[str, list[Any]]:
    with psycopg.connect(url) as raw:
        return {what: sorted(raw.execute(query), key=repr) for what, query in _POSTGRES.items()}


def test_a_table_that_has_a_column_for_somebody_says_what_is_done_about_people() -> None:
    for table in TABLES:
        assert table.personal_rows, table.name
        assert table.personal_row_sets or not SOMEBODY & set(table.column_names), table.name


def test_a_table_says_to_which_workspace_its_rows_belong_or_why_to_none() -> None:
    for table in TABLES:
        assert table.ownership, table.name
        assert isinstance(table.ownership, str) or table.ownership.column in {"", *table.column_names}


async def test_a_new_database_has_what_is_declared_and_nothing_else(tmp_path: Path, postgres: Server) -> None:
    in_sqlite, _ = await sqlite_shape(tmp_path)
    columns = sorted(postgres_shape(postgres.empty())["columns"], key=lambda row: int(row[2]))
    in_postgres = {name: [row[1] for row in columns if row[0] == name] for name in {row[0] for row in columns}}
    assert in_sqlite == DECLARED
    assert {name: found for name, found in in_postgres.items() if not OWN.match(name)} == DECLARED


LESS = """
    DROP VIEW live; DROP INDEX revision_dated; ALTER TABLE revision DROP COLUMN dated;
    DROP INDEX rating_person; DROP TABLE wish; DROP TABLE web_session;
"""
"""What makes a database one of an earlier version."""
LESS_IN_SQLITE = f"{LESS} DROP TRIGGER message_erased; CREATE TRIGGER planted AFTER INSERT ON told BEGIN SELECT 1; END;"
LESS_IN_POSTGRES = f"""
    {LESS} DROP TRIGGER message_erased ON message; DROP POLICY sums ON waiting; DROP POLICY workspace ON message;
    ALTER TABLE message DISABLE ROW LEVEL SECURITY;
"""


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """This program is one of a later version, which has a step of its own."""

    def dated(db: Connection) -> None:
        db.execute("UPDATE revision SET dated = '2026-05-02'")

    monkeypatch.setattr(migrations, "MIGRATIONS", {**migrations.MIGRATIONS, "nothing": None, "dated": dated})


async def filled(folder: Path, url: str = "") -> None:
    async with open_storage(folder, database=url) as storage:
        await storage.library.replace_document(document("a"), chunks("a", ["text"]), None, "")
        await storage.inbox.accept(message())


async def dates(folder: Path, url: str = "") -> list[str]:
    """Of what is found; once more, to see that no step is taken twice."""
    async with open_storage(folder, database=url) as storage:
        assert (await storage.inbox.count_by_state()) == {"open": 1}
        found = await storage.database.read(lambda db: db.execute("SELECT dated FROM live").fetchall())
        await storage.database.write(lambda db: db.execute("UPDATE revision SET dated = 'later'"))
    return [day for (day,) in found]


def as_earlier(file: Path) -> None:
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(LESS_IN_SQLITE)


async def test_a_data_folder_of_an_earlier_version_becomes_what_a_new_one_is_and_keeps_its_rows(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    old = tmp_path / "old"
    await filled(old)
    as_earlier(old / "citewell.db")
    request.getfixturevalue("later")
    assert await dates(old) == ["2026-05-02"]
    assert await dates(old) == ["later"]
    assert await sqlite_shape(old) == await sqlite_shape(tmp_path / "new")
    (backup,) = (old / "backups").glob(f"before-migration-after-{migrations.FIRST_MIGRATION}.db")
    with closing(sqlite3.connect(backup)) as raw:
        tables = {table for (table,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "message" in tables
    assert "wish" not in tables


async def test_a_database_of_an_earlier_version_in_postgres_becomes_what_a_new_one_is_and_keeps_its_rows(
    postgres: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with postgres.database() as url:
        await filled(tmp_path, url)
        with psycopg.connect(url) as raw:
            raw.execute(LESS_IN_POSTGRES)
        request.getfixturevalue("later")
        assert await dates(tmp_path, url) == ["2026-05-02"]
        assert await dates(tmp_path, url) == ["later"]
        assert postgres_shape(url) == postgres_shape(postgres.empty())


async def test_an_upgrade_that_fails_leaves_the_old_database(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    await filled(tmp_path)
    as_earlier(tmp_path / "citewell.db")
    request.getfixturevalue("later")
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as raw:
        raw.execute("CREATE TABLE wish_answer (named TEXT)")
        before = raw.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
        with pytest.raises(Unavailable):
            await SQLiteDatabase.open(tmp_path / "citewell.db")
        assert raw.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall() == before


async def test_a_database_from_before_the_first_release_is_refused_and_left_as_it_is(
    postgres: Server, tmp_path: Path
) -> None:
    await filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as raw:
        raw.executescript("UPDATE _sqlite_migrations SET name = 'library'; PRAGMA wal_checkpoint(TRUNCATE)")
    before = (tmp_path / "citewell.db").read_bytes()
    with postgres.database() as url:
        with psycopg.connect(url) as raw_postgres:
            raw_postgres.execute("UPDATE migration SET name = 'library'")
        for where in ("", url):
            with pytest.raises(Misconfigured, match="before the first release") as refused:
                await filled(tmp_path, where)
            assert "index again" in refused.value.what_to_do
    assert (tmp_path / "citewell.db").read_bytes() == before
