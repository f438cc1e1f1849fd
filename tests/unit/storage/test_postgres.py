"""What holds of PostgreSQL alone: its schema, its absence, its restart, and its search against SQLite's."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from pipeline.errors import Misconfigured, Unavailable
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import Audience, Conversation, ConversationId
from pipeline.words.text import STOP_WORDS, query_terms
from storage.database import Connection, fetch_value
from storage.migrations import MIGRATIONS
from storage.open import Storage, open_storage
from storage.postgres.database import PostgresDatabase
from storage.postgres.vectors import PgVectors
from tests.doubles.postgres import SUPERUSER, Server
from tests.doubles.samples import chunks, document, matrices, message, rows

ROOT = Path(__file__).parents[3]
EVERYONE = Audience(collections=frozenset({"default"}))
QUESTIONS = 500
_HOLDING = """
    SELECT lexeme COLLATE "C", count(*) FROM words, unnest(terms) WHERE ascii(lexeme) < 128 GROUP BY 1 ORDER BY 1
"""


@pytest.fixture
async def storage(postgres: Server, tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(tmp_path / "data", database=postgres.empty(), embedder="m") as opened:
        yield opened


async def test_processes_that_start_together_make_the_schema_once(postgres: Server) -> None:
    with postgres.database("template1") as url:
        opened = await asyncio.gather(*(PostgresDatabase.open(url) for _ in range(3)))
        for database in opened:
            names = await database.read(lambda db: db.execute("SELECT name FROM migration").fetchall())
            assert {name for (name,) in names} == MIGRATIONS.keys()
            await database.close()


async def test_a_database_of_a_newer_program_is_refused(postgres: Server) -> None:
    with postgres.database() as url:
        with psycopg.connect(url) as raw:
            raw.execute("INSERT INTO migration (name) VALUES ('from_the_future')")
        with pytest.raises(Misconfigured, match="newer version"):
            await PostgresDatabase.open(url)


async def test_a_server_that_is_not_there_is_named_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://citewell:hidden@127.0.0.1:1/citewell"
    with pytest.raises(Unavailable, match="PostgreSQL cannot be used") as raised:
        async with open_storage(tmp_path, database=url):
            pass
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    ["u:hidden@localhost/citewell?nonsense=1", "u:hidden%zz@localhost", "u:hidden/x@localhost", "u:hidden@[::1"],
)
async def test_an_address_that_is_none_is_refused_and_not_repeated(tmp_path: Path, address: str) -> None:
    with pytest.raises(Misconfigured, match="not the address of a database") as raised:
        async with open_storage(tmp_path, database=f"postgresql://{address}"):
            pass
    assert "hidden" not in f"{raised.value}{raised.value.what_to_do}"


async def test_it_goes_on_after_the_server_was_restarted(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.postgres.database.WAIT_SECONDS", 0.5)
    async with open_storage(tmp_path, database=postgres.empty()) as storage:
        await storage.inbox.accept(message("1.0"))
        postgres.stop()
        with pytest.raises(Unavailable):
            await storage.inbox.accept(message("2.0"))
        with pytest.raises(Unavailable):
            await storage.inbox.count_by_state()
        postgres.start()
        while True:
            with suppress(Unavailable):
                assert await storage.inbox.count_by_state() == {"open": 1}
                break
        assert await storage.inbox.accept(message("1.0")) is False
        assert await storage.inbox.accept(message("2.0")) is True


async def test_processes_that_index_the_same_words_side_by_side_count_each_once(
    postgres: Server, tmp_path: Path
) -> None:
    url = postgres.empty()
    drawn = random.Random(1)
    words = [f"{first}{second}{first}" for first in "abcdefghij" for second in "klmnopqrst"]

    async def fill(name: str) -> None:
        async with open_storage(tmp_path / name, database=url) as storage:
            for version in "123456":
                texts = [" ".join(drawn.sample(words, 50)) for _ in range(30)]
                await storage.library.replace_document(document(name, version=version), chunks(name, texts), None, "")

    await asyncio.gather(*map(fill, "xyz"))
    with psycopg.connect(url, user=SUPERUSER) as raw:
        counted = raw.execute("SELECT term, passages FROM term ORDER BY term").fetchall()
        found = raw.execute(_HOLDING).fetchall()
    assert counted == found


async def test_what_fails_in_a_shared_commit_fails_alone(storage: Storage) -> None:
    def refused(db: object) -> None:
        raise ValueError

    good = [storage.inbox.accept(message(f"{number}.0")) for number in range(3)]
    bad = storage.database.write(refused, durable=True)
    *kept, failed = await asyncio.gather(*good, bad, return_exceptions=True)
    assert kept == [True, True, True]
    assert isinstance(failed, ValueError)
    assert await storage.inbox.count_by_state() == {"open": 3}


async def test_a_read_sees_what_there_was_when_it_began(storage: Storage) -> None:
    seen, written = threading.Event(), threading.Event()

    def messages(db: Connection) -> list[int]:
        before = fetch_value(db, "SELECT count(*) FROM message")
        seen.set()
        assert written.wait(10)
        return [before, fetch_value(db, "SELECT count(*) FROM message")]

    with workspace_scope(ALL_WORKSPACES):
        reading = asyncio.create_task(storage.database.read(messages))
        await asyncio.to_thread(seen.wait, 10)
        await storage.inbox.accept(message("1.0"))
        written.set()
        assert await reading == [0, 0]
        assert await storage.inbox.count_by_state() == {"open": 1}


async def test_a_read_changes_nothing(storage: Storage) -> None:
    with workspace_scope(ALL_WORKSPACES):
        await storage.inbox.accept(message("1.0"))
        with pytest.raises(Unavailable, match="read-only transaction"):
            await storage.database.read(lambda db: db.execute("DELETE FROM message").fetchall())
        assert await storage.inbox.count_by_state() == {"open": 1}


async def test_a_conversation_is_recalled_by_its_exact_name(storage: Storage) -> None:
    named = ConversationId(platform="slack", space="T%", channel="C_", thread="1")
    assert await storage.history.recall(named, 5) == Conversation(id=named)


async def test_the_nearest_are_almost_always_those_that_looking_at_all_finds(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.postgres.vectors.VECTORS_PER_HOP", 0)
    count = 600
    await storage.library.replace_document(document("d"), chunks("d", ["text"] * count), matrices(count, 3), "m")
    await storage.database.write(lambda db: db.execute("ANALYZE mean_vector"))
    vectors = PgVectors(storage.database, embedder=lambda: "m")
    shared = 0
    for question in rows(20, seed=7):
        found = await vectors.nearest(question, EVERYONE, 10)
        exact = await vectors.exact_nearest(question, EVERYONE, 10)
        shared += len({hit.chunk_id for hit in found} & {hit.chunk_id for hit in exact})
    assert shared >= 0.95 * 200


async def test_few_passages_among_many_that_others_see_are_all_looked_at(storage: Storage) -> None:
    await storage.library.replace_document(document("many"), chunks("many", ["text"] * 400), matrices(400, 3), "m")
    await storage.library.replace_document(
        document("few", collection="few"), chunks("few", ["text"] * 9), matrices(9, 4), "m"
    )
    await storage.database.write(lambda db: db.execute("ANALYZE mean_vector"))
    few = Audience(collections=frozenset({"few"}))
    for question in rows(5, seed=7):
        found = await storage.index.search_vector(question, few, 8)
        assert found == await PgVectors(storage.database, embedder=lambda: "m").exact_nearest(question, few, 8)
        assert len(found) == 8


@pytest.mark.slow
async def test_words_find_the_same_as_with_sqlite(postgres: Server, tmp_path: Path) -> None:
    """Paragraphs of our own documents, each asked for by some of its words: recall@5 within a point."""
    texts = _paragraphs()
    drawn = random.Random(1)
    asked = [(number, _question(text, drawn)) for number, text in drawn.choices(list(enumerate(texts)), k=QUESTIONS)]
    recall = []
    for url in ("", postgres.empty()):
        async with open_storage(tmp_path / "data", database=url) as storage:
            for start in range(0, len(texts), 20):
                name = f"d{start}"
                await storage.library.replace_document(
                    document(name), chunks(name, texts[start : start + 20]), None, ""
                )
            found = 0
            for number, question in asked:
                hits = (await storage.index.search_lexical(query_terms(question), EVERYONE, 5)).hits
                found += f"d{number - number % 20}#{number % 20}" in [hit.chunk_id for hit in hits]
            recall.append(found / QUESTIONS)
    assert recall[0] > 0.5
    assert abs(recall[0] - recall[1]) <= 0.01, recall


def _paragraphs() -> list[str]:
    files = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    parts = [part for file in files for part in file.read_text(encoding="utf-8").split("\n\n")]
    return [part for part in dict.fromkeys(parts) if 60 < len(part) < 2000]


def _question(text: str, drawn: random.Random) -> str:
    """Few of its words, in any order: some common, some in another form."""
    words = [word for word in re.findall(r"[A-Za-z]{3,}", text) if word.lower() not in STOP_WORDS]
    return " ".join(word.removesuffix("s") for word in drawn.sample(words, min(3, len(words))))
