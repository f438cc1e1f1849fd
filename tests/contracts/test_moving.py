"""Everything that is kept moves from each engine to the other, or the target stays refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import Misconfigured, Refused
from pipeline.values import Audience
from storage.data_migration import (
    MigrationEndpoint,
    copy_data,
    endpoint_name,
    finish_copy,
    open_endpoint,
    sample_questions,
)
from storage.database import Connection
from storage.documents.library import SQLDocumentStore
from storage.open import Storage, open_storage
from storage.postgres.connection import strip_nul
from storage.schema.table import StoredTable
from tests.doubles.engines import Engine
from tests.doubles.everything import contents, fill
from tests.doubles.postgres import Server
from tests.doubles.samples import message, rows

EVERYONE = Audience(collections=frozenset({"default"}))
opened = partial(open_endpoint, embedder=lambda: "m", make=True)


@pytest.fixture
def places(engine: Engine, postgres: Server, tmp_path: Path) -> tuple[str, str]:
    """Where the source is, and the target, of which one is SQLite and one PostgreSQL."""
    ends = (engine.url or postgres.empty(), f"sqlite:{tmp_path / 'data'}")
    return ends if engine.url else (ends[1], ends[0])


@asynccontextmanager
async def both(places: tuple[str, str]) -> AsyncIterator[tuple[MigrationEndpoint, MigrationEndpoint]]:
    async with opened(places[0]) as source, opened(places[1]) as target:
        yield source, target


def storage_of(place: str, folder: Path, *, exclusive: bool = False) -> AbstractAsyncContextManager[Storage]:
    """`folder` has the one that a place of SQLite is."""
    return open_storage(folder / "data", database=place if place.startswith("postgresql") else "", exclusive=exclusive)


async def moved(source: MigrationEndpoint, target: MigrationEndpoint) -> dict[str, int]:
    told: dict[str, int] = {}
    await copy_data(source.engine, target.engine, source.name, told.__setitem__)
    return told


def as_in_postgres(tables: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    def plain(value: object) -> object:
        return strip_nul(value) if isinstance(value, str) else value

    return {name: sorted((tuple(map(plain, row)) for row in found), key=repr) for name, found in tables.items()}


async def test_everything_arrives(places: tuple[str, str]) -> None:
    async with both(places) as (source, target):
        await fill(source)
        expected = as_in_postgres(await contents(source))
        told = await moved(source, target)
        await finish_copy(source.engine, target.engine)
        assert all(expected.values()), "a new table: give it a row in tests/doubles/everything.py"
        assert as_in_postgres(await contents(source)) == expected
        assert await contents(target) == expected
        assert told == {name: len(found) for name, found in expected.items()}


async def test_passages_are_found_by_words_and_by_vectors_as_before(places: tuple[str, str]) -> None:
    async with both(places) as (source, target):
        await fill(source)
        await moved(source, target)
        await finish_copy(source.engine, target.engine)
        found = []
        for end in (source, target):
            (question,) = rows(1, seed=5)
            nearest = await end.engine.vectors.nearest(question, EVERYONE, 3)
            frequency = await end.engine.database.read(
                lambda db, index=end.engine.database.passage_index: index.document_frequency(db, ["kite", "words"])
            )
            found.append(([hit.chunk_id for hit in nearest], frequency))
        assert found[0] == found[1]
        assert found[0][1] == {"kite": 240, "words": 1}


async def test_the_target_goes_on_where_the_source_was(places: tuple[str, str], tmp_path: Path) -> None:
    """What arrived is known, numbers that were given are not given again, and documents are replaced."""
    async with both(places) as (source, target):
        await fill(source)
        await source.engine.database.write(
            lambda db: db.execute("UPDATE message SET state = 'cancelled' WHERE state = 'open'")
        )
        async with storage_of(places[0], tmp_path) as before:
            assert await before.inbox.accept(message("1.0"))
        (last,) = await source.engine.database.read(
            lambda db: db.execute("SELECT max(sequence) FROM message").fetchone()
        )
        await source.engine.database.write(lambda db: db.execute("DELETE FROM message WHERE sequence = $1", (last,)))
        await moved(source, target)
        await finish_copy(source.engine, target.engine)
    async with storage_of(places[1], tmp_path) as storage:
        assert await storage.inbox.accept(message("1.0")) is False
        assert await storage.inbox.accept(message("2.0")) is True
        (new,) = await storage.database.read(lambda db: db.execute("SELECT max(sequence) FROM message").fetchone())
        assert new > last
        assert await storage.library.remove_documents(["d1", "d2", "d3"]) == 3
        assert await storage.library.count() == 2


async def test_a_target_with_anything_in_it_is_refused(places: tuple[str, str]) -> None:
    async with both(places) as (source, target):
        await fill(target)
        with pytest.raises(Refused, match="not empty"):
            await moved(source, target)


async def test_half_a_move_is_refused_by_all_but_the_same_move(places: tuple[str, str], tmp_path: Path) -> None:
    async with both(places) as (source, target):
        await fill(source)
        await moved(source, target)
        with pytest.raises(Refused, match="incomplete copy of"):
            await copy_data(source.engine, target.engine, "sqlite:/another", lambda *_: None)
        with pytest.raises(Refused, match="source is itself the target"):
            await moved(target, source)
    with pytest.raises(Misconfigured, match="is not complete"):
        async with storage_of(places[1], tmp_path):
            pass
    async with both(places) as (source, target):
        await moved(source, target)
        await finish_copy(source.engine, target.engine)
    async with storage_of(places[1], tmp_path) as storage:
        assert await storage.library.count() == 5


async def test_a_source_that_was_used_since_a_move_was_cut_off_is_moved_anew(places: tuple[str, str]) -> None:
    async with both(places) as (source, target):
        await fill(source)
        await moved(source, target)
        await SQLDocumentStore(source.engine.database).remove_documents(["d2"])
        await source.engine.database.write(lambda db: db.execute("DELETE FROM known WHERE digest < $1", (b"\x00\x20",)))
        await source.engine.database.write(lambda db: db.execute("UPDATE preference SET body = '{}'"))
        await moved(source, target)
        assert await contents(target) == as_in_postgres(await contents(source)) | await marked(target)


async def test_a_row_that_does_not_arrive_as_it_was_fails_the_move(places: tuple[str, str]) -> None:
    async with both(places) as (source, target):
        await fill(source)
        fill_whole = target.engine.table_copier.insert_rows

        def losing(db: Connection, table: StoredTable, found: Sequence[Sequence[Any]]) -> None:
            fill_whole(db, table, found[1:] if table.name == "turn" else found)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(target.engine.table_copier, "insert_rows", losing)
            with pytest.raises(Refused, match=r"not the same in both: turn$"):
                await moved(source, target)
        assert (await moved(source, target))["turn"] == 1


async def marked(target: MigrationEndpoint) -> dict[str, list[tuple[object, ...]]]:
    return {"setting": (await contents(target))["setting"]}


async def test_neither_end_may_be_answering(places: tuple[str, str], tmp_path: Path) -> None:
    for place in places:
        async with storage_of(place, tmp_path, exclusive=True):
            with pytest.raises(Misconfigured, match="another `citewell run`"):
                async with opened(place):
                    pass


async def test_questions_are_what_was_asked_and_then_what_is_there(places: tuple[str, str]) -> None:
    async with opened(places[0]) as source:
        await fill(source)
        asked = await sample_questions(source.engine.database, 50)
    assert asked[0] == "Where is the kite?"
    assert "Item 0 is kept in room 0 beside the kite." in asked
    assert 10 < len(asked) == len(set(asked)) <= 50


@pytest.mark.parametrize("place", ["sqlite:", "citewell-data", "mysql://u:hidden@h/d", "postgresql://u:hidden@[::1"])
def test_what_is_no_place_is_refused_without_repeating_it(place: str) -> None:
    with pytest.raises((Refused, Misconfigured)) as raised:
        endpoint_name(place)
    assert "hidden" not in f"{raised.value}{raised.value.what_to_do}"


def test_a_place_is_named_without_its_password() -> None:
    place = "postgresql://u:hidden@db.example:5433/citewell?password=hidden&sslmode=require"
    assert endpoint_name(place) == "postgresql://u@db.example:5433/citewell"
