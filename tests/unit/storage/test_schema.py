"""Both engines have what is declared, whether a database is new or was written by an earlier version, with its rows."""

from __future__ import annotations

import gzip
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pipeline.errors import Unavailable
from pipeline.rules.tenancy import EVERYTHING
from pipeline.values import Audience, replace
from storage.database import Connection
from storage.open import open_storage
from storage.schema.tables import TABLES
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.postgres import Server
from tests.doubles.samples import answer, chunks, document, message

FIXTURES = Path(__file__).parents[2] / "fixtures"
FIRST, LAST = "data-of-9988454.db.gz", "data-of-c0fc1ac.db.gz"
LAST_POSTGRES = "postgres-of-c0fc1ac.sql.gz"
NEW = {"quoting", "outbox", "web_session", "api_key", "api_reply", "said", "said_due", "channel_look"}
"""Tables that no database of the fixtures has."""
SOMEBODY = {"actor", "asker", "author", "person", "recipient", "resolver", "scope"}
"""What columns are called that name somebody."""
DECLARED = {table.name: list(table.names) for table in TABLES}
OWN = re.compile(r"live|migration|mean_vector|sqlite_|_sqlite_migrations|term|words")
"""What an engine has beside what is declared."""
BEFORE_WORKSPACES = """
    DROP TABLE installation; DROP TABLE taken_state; ALTER TABLE message DROP COLUMN stopped;
    DROP POLICY sums ON waiting; DROP POLICY workspace ON message; ALTER TABLE message DISABLE ROW LEVEL SECURITY;
    DELETE FROM migration WHERE name IN ('installations', 'stops', 'tenancy')
"""
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


def unpacked(name: str) -> bytes:
    return gzip.decompress((FIXTURES / name).read_bytes())


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


def counted(rows: Callable[[str], Any], tables: Iterable[str]) -> dict[str, int]:
    return {table: rows(f"SELECT count(*) FROM {table}").fetchone()[0] for table in sorted(tables)}


def test_a_table_that_has_a_column_for_somebody_says_what_is_done_about_people() -> None:
    for table in TABLES:
        assert table.people, table.name
        assert table.personal or not SOMEBODY & set(table.names), table.name


def test_a_table_says_to_which_workspace_its_rows_belong_or_why_to_none() -> None:
    for table in TABLES:
        assert table.owned, table.name
        assert isinstance(table.owned, str) or table.owned.column in {"", *table.names}


async def test_a_new_database_has_what_is_declared_and_nothing_else(tmp_path: Path, postgres: Server) -> None:
    in_sqlite, _ = await sqlite_shape(tmp_path)
    columns = sorted(postgres_shape(postgres.empty())["columns"], key=lambda row: int(row[2]))
    in_postgres = {name: [row[1] for row in columns if row[0] == name] for name in {row[0] for row in columns}}
    assert in_sqlite == DECLARED
    assert {name: found for name, found in in_postgres.items() if not OWN.match(name)} == DECLARED


@pytest.mark.parametrize("name", [FIRST, LAST])
async def test_an_older_data_folder_becomes_what_a_new_one_is_and_keeps_its_rows(tmp_path: Path, name: str) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "old").mkdir()
    file = tmp_path / "old" / "citewell.db"
    file.write_bytes(unpacked(name))
    with closing(sqlite3.connect(file)) as raw:
        tables = {table for (table,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        before = counted(raw.execute, tables & DECLARED.keys())
    assert await sqlite_shape(file.parent) == await sqlite_shape(tmp_path / "new")
    with closing(sqlite3.connect(file)) as raw:
        assert counted(raw.execute, before) == before


async def test_a_database_of_an_earlier_version_in_postgres_becomes_what_a_new_one_is_and_keeps_its_rows(
    postgres: Server, tmp_path: Path
) -> None:
    with postgres.database("template1") as url:
        with psycopg.connect(url) as raw:
            raw.execute(unpacked(LAST_POSTGRES))
            raw.execute(f"SET row_security TO on; SET citewell.workspace TO '{EVERYTHING}'")
            before = counted(raw.execute, DECLARED.keys() - NEW)
        async with open_storage(tmp_path, database=url) as storage:
            assert await storage.database.read(lambda db: counted(db.execute, before)) == before
            assert await storage.library.count() == 1
        assert postgres_shape(url) == postgres_shape(postgres.empty())


async def test_what_an_earlier_version_in_postgres_lacks_is_made(postgres: Server, tmp_path: Path) -> None:
    with postgres.database() as url:
        with psycopg.connect(url) as raw:
            raw.execute(BEFORE_WORKSPACES)
        async with open_storage(tmp_path, database=url) as storage:
            assert storage.walled
        assert postgres_shape(url) == postgres_shape(postgres.empty())


@pytest.fixture
def older(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The data folder of the early version, to be changed before it is upgraded."""
    (tmp_path / "citewell.db").write_bytes(unpacked(FIRST))
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as raw:
        yield raw


async def test_an_older_data_folder_is_backed_up_before_it_is_changed(
    older: sqlite3.Connection, tmp_path: Path
) -> None:
    async with open_storage(tmp_path) as storage:
        assert await storage.places.of([]) == {}
    (backup,) = (tmp_path / "backups").glob("before-migration-after-*.db")
    with closing(sqlite3.connect(backup)) as raw:
        tables = {table for (table,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "message" in tables
    assert "place" not in tables


async def test_messages_that_wait_while_the_database_is_upgraded_keep_their_turns(
    older: sqlite3.Connection, tmp_path: Path
) -> None:
    older.executescript("DROP TRIGGER message_opened; DROP TRIGGER message_erased; DROP TABLE waiting;")
    older.executescript("DELETE FROM message; DELETE FROM _sqlite_migrations WHERE name = 'turns'")
    for number, author in (("1.0", "served"), ("2.0", "served"), ("3.0", "new")):
        one = message(number, author=author)
        older.execute(
            "INSERT INTO message (key, space, author, conversation, sent_at, body) VALUES (?, ?, ?, ?, ?, ?)",
            (one.key, "slack:T1", one.author, str(one.conversation), 0.0, one.model_dump_json()),
        )
    older.execute("INSERT INTO served VALUES ('slack:T1 slack:T1:served', 7)")
    older.commit()
    async with open_storage(tmp_path) as storage:
        leased = [work.message.key[-3:] for _ in range(3) if (work := await storage.inbox.lease())]
    assert leased == ["3.0", "1.0", "2.0"]


async def test_the_sources_of_an_older_database_keep_the_collection_of_their_newest_document(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        for name, source, collection in (("a", "/x", "default"), ("b", "/x", "board"), ("c", "/y", "hr")):
            await storage.library.put(document(name, source=source, collection=collection), [], None, "")
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as raw:
        raw.executescript("DROP TABLE source; DELETE FROM _sqlite_migrations WHERE name = 'sources'")
    async with open_storage(tmp_path) as storage:
        assert await storage.library.sources() == {"/x": "board", "/y": "hr"}


async def test_the_documents_of_an_older_database_keep_their_days(tmp_path: Path) -> None:
    async with open_storage(tmp_path) as storage:
        dated = replace(document("a"), metadata={"reviewed": "2026-05-02"})
        await storage.library.put(dated, chunks("a", ["text"]), None, "")
    with closing(sqlite3.connect(tmp_path / "citewell.db")) as raw:
        raw.executescript(
            "DROP VIEW live; DROP INDEX revision_dated; ALTER TABLE revision DROP COLUMN dated;"
            " DELETE FROM _sqlite_migrations WHERE name = 'dated'"
        )
    async with open_storage(tmp_path) as storage:
        found, _ = await storage.library.dated("2026-05-02", Audience(collections=frozenset({"default"})), 1)
    assert [one.id for _, one in found] == ["a"]


async def test_insights_count_what_was_asked_before_the_upgrade(older: sqlite3.Connection, tmp_path: Path) -> None:
    kept = replace(answer("before"), standalone="How many days of leave?")
    older.execute("INSERT INTO answer VALUES ('before', 'slack:T1:U1', 5.0, ?)", (kept.model_dump_json(),))
    older.commit()
    async with open_storage(tmp_path) as storage:
        asked = await storage.asked.since(0.0, (), list)
    assert [(one.author, one.at, one.question) for one in asked] == [("slack:T1:U1", 5.0, "How many days of leave?")]


async def test_an_upgrade_that_fails_leaves_the_old_database(older: sqlite3.Connection, tmp_path: Path) -> None:
    older.execute("CREATE TABLE wish_answer (named TEXT)")
    before = older.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    with pytest.raises(Unavailable):
        await SQLiteDatabase.open(tmp_path / "citewell.db")
    assert older.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall() == before
