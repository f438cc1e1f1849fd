"""PostgreSQL keeps workspaces apart by itself: whoever connects as Citewell's role and says for which workspace it is
sees and changes nothing of another one, in no table, whatever the statement leaves out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql

from pipeline.rules.tenancy import NO_WORKSPACE, VisibleCollections, workspace_scope
from pipeline.values import Audience, PlaceId
from storage.database import Connection
from storage.documents.library import SQLDocumentStore
from storage.open import Storage, open_storage
from storage.postgres.database import PostgresDatabase
from storage.postgres.row_security import SET_WORKSPACE
from storage.schema.table import Ownership, RowOwner
from storage.schema.tables import TABLES
from tests.doubles.postgres import SUPERUSER, Server
from tests.doubles.samples import chunks, document, matrices, rows

ACME, BETA = "slack:T1", str(PlaceId(platform="slack", space="T1:% 2"))
"""Ids may hold any character."""
COLLECTION = {ACME: "acme", BETA: "beta"}
OF_THE_OPERATOR = {
    table.name for table in TABLES if isinstance(table.ownership, Ownership) and table.ownership.by is RowOwner.OPERATOR
}
OF_NO_WORKSPACE = {table.name for table in TABLES if isinstance(table.ownership, str)} | {"migration", "term"}
"""Which migrations were applied, and in how many passages a word is, of all together."""
Row = tuple[Any, ...]


def reach(workspace: str) -> VisibleCollections:
    return VisibleCollections(frozenset({COLLECTION[workspace]}), is_exclusion=False)


def rows_of(space: str) -> Mapping[str, Row]:
    """A row in each table that belongs to a workspace; those of documents and of the inbox come by themselves."""
    person, key = f"{space}:U1", f"{space}:C1:1.0"
    handoff = json.dumps({"target": f"{space}:C9", "origin": {"platform": "slack", "space": space.partition(":")[2]}})
    return {
        "answer": (f"a {space}", person, 1.0, "{}"),
        "asked": (f"a {space}", person, 1.0, "Where?", "answered", "high", 0, "[]", ""),
        "audit": (len(space) + int(space[-1]), 1.0, person, "index", "x", True),
        "channel_look": (f"{space}:C1", "{}"),
        "handoff": (f"h {space}", f"a {space}", person, handoff, 1.0, "", "", "", None),
        "installation": (space, "sealed"),
        "outbox": (
            int(space[-1]),
            f"asked:h {space}",
            "asked",
            f"h {space}",
            "",
            "",
            "",
            "open",
            0,
            0.0,
            0,
            None,
            "",
            "",
            None,
        ),
        "part": (f"{key}:1", 1.0),
        "place": (f"{space}:C1", "{}"),
        "preference": (person, "{}"),
        "question": (key, f"a {space}", f"{key}:1"),
        "rating": (f"a {space}", person, "helpful", None, "", 1.0, "contributor"),
        "said": (f"{space}:C1", "1.0", "1.0", person, 1.0, 1.0, "{}"),
        "said_due": (f"{space}:C1", "1.0", 1),
        "seen": (f"{space}:C1", "1.0"),
        "served": (f"{space} {person}", 1),
        "silenced": (f"{key}:1", 1.0, None),
        "source": (f"/{space}", COLLECTION[space]),
        "source_look": (f"/{space}", 1.0, "{}"),
        "source_memory": (f"/{space}", "key", "value"),
        "told": (person, 1.0),
        "turn": (int(space[-1]), f"{key}:1", person, 1.0, "{}"),
        "unasked": (key, f"{space}:C1", 1.0),
        "wish": (f"w {space}", key, f"a {space}", person, "Why?", "{}", 1.0, None, None, 0.0),
    }


OPERATORS: Mapping[str, Row] = {
    "web_session": ("session", f"{ACME}:U1", "{}", 1.0, 2.0),
    "api_key": ("key", "digest", "{}", 1.0, None),
    "api_reply": ("request", "digest", "{}", 1.0),
}


def message_of(space: str) -> Row:
    return f"{space}:C1:1.0", space, f"{space}:U1", f"{space}:C1:1", 1.0, "{}"


@pytest.fixture
async def storage(postgres: Server, tmp_path: Path) -> AsyncIterator[Storage]:
    """Two workspaces with rows in every table."""
    async with open_storage(tmp_path, database=postgres.empty(), embedder="m", visible_to=reach) as opened:
        await opened.database.write(_fill)
        for space, name in COLLECTION.items():
            await _put(opened.library, space, name)
        yield opened


def _fill(db: Connection) -> None:
    for space in COLLECTION:
        columns = "key, space, author, conversation, sent_at, body"
        db.execute(f"INSERT INTO message ({columns}) VALUES ($1, $2, $3, $4, $5, $6)", message_of(space))
        _put_rows(db, rows_of(space))
    _put_rows(db, OPERATORS)


def _put_rows(db: Connection, rows: Mapping[str, Row]) -> None:
    for table, row in rows.items():
        places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
        db.execute(f"INSERT INTO {table} VALUES ({places})", row)


async def _put(library: SQLDocumentStore, space: str, name: str) -> None:
    text = [f"Employees of {name} get leave.", f"The {name} kite is in room 7."]
    await library.replace_document(
        document(f"d {space}", collection=name), chunks(name, text), matrices(2, len(name)), "m"
    )


@pytest.fixture
def connected(postgres: Server, storage: Storage) -> Iterator[psycopg.Connection[Row]]:
    """As Citewell's role, in a transaction that is undone at the end."""
    with psycopg.connect(postgres.url("citewell"), cursor_factory=psycopg.RawCursor) as raw:
        yield raw
        raw.rollback()


@pytest.fixture
def tables(connected: psycopg.Connection[Row]) -> list[str]:
    """Those that are kept apart, each before those that it needs."""
    kept_apart = "relkind = 'r' AND relrowsecurity AND relforcerowsecurity"
    names = [name for (name,) in connected.execute(f"SELECT relname::text FROM pg_class WHERE {kept_apart}")]
    needs = {name: set() for name in names} | {
        "collection": {"revision", "mean_vector", "words"},
        "revision": {"chunk", "unit_vectors"},
        "handoff": {"outbox"},
    }
    return list(TopologicalSorter(needs).static_order())


def work_for(connected: psycopg.Connection[Row], workspace: str | None) -> None:
    """From now on; for none at all where nothing is said."""
    connected.rollback()
    if workspace is not None:
        everything = workspace == "*"
        names = [] if everything or not workspace else sorted(reach(workspace).names)
        connected.execute(SET_WORKSPACE, (workspace, names, "on" if everything else "off"))


def rows_in(connected: psycopg.Connection[Row], table: str) -> set[str]:
    return {text for (text,) in connected.execute(f"SELECT {table}::text FROM {table} WHERE {_one(table)}")}


def _one(table: str) -> str:
    """Not the sums, which all workspaces see."""
    return "space <> ''" if table == "waiting" else "TRUE"


def seen(connected: psycopg.Connection[Row], tables: Sequence[str], workspace: str | None) -> dict[str, set[str]]:
    work_for(connected, workspace)
    return {table: rows_in(connected, table) for table in tables}


def test_every_table_is_kept_apart_or_is_said_to_hold_nothing_of_a_workspace(
    connected: psycopg.Connection[Row], tables: Sequence[str]
) -> None:
    there = connected.execute("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
    assert {name for (name,) in there} - set(tables) == OF_NO_WORKSPACE


def test_a_workspace_sees_its_own_rows_and_all_of_them(
    connected: psycopg.Connection[Row], tables: Sequence[str]
) -> None:
    acme, beta, all_ = (seen(connected, tables, one) for one in (ACME, BETA, "*"))
    for table in tables:
        assert all_[table], "a new table: give it a row above"
        assert not acme[table] & beta[table]
        assert acme[table] | beta[table] == (set() if table in OF_THE_OPERATOR else all_[table])
        assert table in OF_THE_OPERATOR or (acme[table] and beta[table])


@pytest.mark.parametrize("workspace", [None, NO_WORKSPACE])
def test_who_says_no_workspace_sees_nothing(
    connected: psycopg.Connection[Row], tables: Sequence[str], workspace: str | None
) -> None:
    assert not any(seen(connected, tables, workspace).values())


@pytest.mark.parametrize("workspace", [None, NO_WORKSPACE, ACME])
def test_nothing_of_another_workspace_can_be_changed_or_deleted(
    connected: psycopg.Connection[Row], tables: Sequence[str], workspace: str | None
) -> None:
    others = seen(connected, tables, BETA)
    work_for(connected, workspace)
    for table in tables:
        (column,) = connected.execute(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum = 1", (table,)
        ).fetchone() or ("",)
        connected.execute(f"UPDATE {table} SET {column} = {column}")
        connected.execute(f"DELETE FROM {table}")
    connected.execute(SET_WORKSPACE, (BETA, [COLLECTION[BETA]], "off"))
    assert {table: rows_in(connected, table) for table in tables} == others


@pytest.mark.parametrize("workspace", [None, NO_WORKSPACE, ACME])
def test_nothing_can_be_put_into_another_workspace(
    connected: psycopg.Connection[Row], tables: Sequence[str], workspace: str | None
) -> None:
    ours = seen(connected, tables, ACME)
    work_for(connected, "*")
    theirs = {table: _other(connected, table, ours[table]) for table in tables}
    work_for(connected, workspace)
    for table, row in theirs.items():
        put = sql.SQL("INSERT INTO {0} SELECT (json_populate_record(NULL::{0}, $1::json)).*").format(
            sql.Identifier(table)
        )
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"), _undone(connected):
            connected.execute(put, (row,))


def _other(connected: psycopg.Connection[Row], table: str, ours: set[str]) -> str:
    """A row of `table` that is not among `ours`, whole."""
    other = f"SELECT row_to_json({table})::text FROM {table} WHERE {_one(table)} AND {table}::text <> ALL ($1) LIMIT 1"
    (row,) = connected.execute(other, (list(ours),)).fetchone() or ("",)
    return str(row)


@contextmanager
def _undone(connected: psycopg.Connection[Row]) -> Iterator[None]:
    connected.execute("SAVEPOINT one")
    try:
        yield
    finally:
        connected.execute("ROLLBACK TO one")


async def test_a_search_that_asks_for_everybodys_documents_finds_those_of_its_workspace(storage: Storage) -> None:
    everybody = Audience(collections=frozenset(COLLECTION.values()))
    (near,) = rows(1, 3)
    for space, name in COLLECTION.items():
        with workspace_scope(space):
            by_words = await storage.index.search_lexical(["kite", "leave"], everybody, 10)
            by_meaning = await storage.index.search_vector(near, everybody, 10)
            passages = await storage.library.get_chunks(["acme#0", "acme#1", "beta#0", "beta#1"])
            documents = await storage.library.list_documents()
        own = {f"{name}#0", f"{name}#1"}
        assert {hit.chunk_id for hit in by_words.hits} == {hit.chunk_id for hit in by_meaning} == own
        assert {chunk.id for chunk, _ in passages} == own
        assert [one.collection for one in documents] == [name]
        assert await storage.library.count() == 2, "what is done for nobody else in particular is the operator's"


async def test_works_that_share_a_commit_are_each_done_for_their_own_workspace(storage: Storage) -> None:
    async def turns(space: str) -> int:
        with workspace_scope(space):
            return await storage.database.write(lambda db: db.execute("DELETE FROM turn").rowcount, durable=True)

    assert await asyncio.gather(turns(NO_WORKSPACE), turns(ACME), turns(ACME), turns(BETA)) == [0, 1, 0, 1]


async def test_a_superuser_is_told_that_nothing_holds_it_and_still_finds_by_words(
    postgres: Server, storage: Storage, tmp_path: Path
) -> None:
    url = postgres.url("citewell", SUPERUSER)
    async with open_storage(tmp_path, database=url, visible_to=reach) as unheld:
        found = await unheld.index.search_lexical(["kite"], Audience(collections=frozenset({"beta"})), 5)
        assert [hit.chunk_id for hit in found.hits] == ["beta#1"]
        assert isinstance(unheld.database, PostgresDatabase)
        assert not unheld.has_row_security
    assert storage.has_row_security
