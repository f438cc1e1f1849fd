"""A backup is read before it is trusted, takes the place of a damaged folder, and answers as the folder did."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from bench.filling import fill
from bench.synthetic import Corpus
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured, Refused
from pipeline.values import Answer, AnswerRequest
from storage import migrations
from storage.open import open_storage
from storage.sqlite.backup import clear_checksum, is_intact, write_checksum
from storage.sqlite.restore import restore_backup
from storage.sqlite.verify import read_contents
from tests.doubles.samples import message
from tests.doubles.settings import extractive
from tests.trials import Count, trials

CHUNKS = int(os.environ.get("RESTORE_CHUNKS", "300"))
PAGE = 4096
DAY = timedelta(days=1)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def answers(data: Path, questions: list[str], *, exclusive: bool = False) -> list[Answer]:
    async with open_citewell(extractive(data), exclusive=exclusive, make=False) as citewell:
        if exclusive:
            await citewell.storage.vectors.sync()
        everything = await citewell.all_collections()
        return [
            await citewell.respond(AnswerRequest(text=text, audience=everything, force_extract=True))
            for text in questions
        ]


def said(given: list[Answer]) -> list[tuple[str, list[str]]]:
    return [(answer.body, [citation.chunk_id for citation in answer.citations]) for answer in given]


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_restored_folder_gives_the_same_answers(tmp_path: Path) -> None:
    corpus, data = Corpus(CHUNKS), tmp_path / "data"
    await fill(corpus, data)
    async with open_storage(data) as storage:
        backup = await storage.back_up(tmp_path / "away.db")
    questions = corpus.questions(10)
    before = said(await answers(data, questions, exclusive=True))
    assert any(body for body, _ in before)
    (data / "citewell.db").write_bytes(b"not a database " * 1000)
    restored = await restore_backup(backup, data)
    assert restored.contents.passages == CHUNKS
    assert said(await answers(data, questions, exclusive=True)) == before
    assert restored.old_folder
    assert (restored.old_folder / "citewell.db").read_bytes().startswith(b"not a database")


async def test_a_folder_in_use_is_not_replaced(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data", exclusive=True) as storage:
        backup = await storage.back_up()
        with pytest.raises(Misconfigured, match="another `citewell run`"):
            await restore_backup(backup, tmp_path / "data")
        await storage.inbox.accept(message())
    assert names(tmp_path) == {"data"}


@pytest.mark.parametrize("harm", ["missing", "empty", "torn", "not ours", "text"])
async def test_what_is_no_whole_backup_replaces_nothing(tmp_path: Path, harm: str) -> None:
    corpus, data, backup = Corpus(50), tmp_path / "data", tmp_path / "away.db"
    await fill(corpus, data)
    async with open_storage(data) as storage:
        await storage.back_up(backup)
    whole = backup.read_bytes()
    match harm:
        case "missing":
            backup.unlink()
        case "empty":
            backup.write_bytes(b"")
        case "torn":
            backup.write_bytes(whole[: len(whole) // 2])
        case "not ours":
            backup.unlink()
            with closing(sqlite3.connect(backup, isolation_level=None)) as db:
                db.execute("CREATE TABLE note (text TEXT)")
        case "text":
            backup.write_text("a list of things to buy\n" * 100)
    with pytest.raises(Refused, match=str(backup)):
        await restore_backup(backup, data)
    async with open_storage(data) as storage:
        assert await storage.library.count() == 3
    assert names(tmp_path) <= {"data", "away.db"}


async def test_a_passage_that_is_missing_among_the_words_is_found(tmp_path: Path) -> None:
    corpus, backup = Corpus(50), tmp_path / "away.db"
    await fill(corpus, tmp_path / "data")
    async with open_storage(tmp_path / "data") as storage:
        await storage.back_up(backup)
    assert read_contents(backup).passages == 50
    with closing(sqlite3.connect(backup, isolation_level=None)) as db:
        db.execute("DELETE FROM words_docsize WHERE id = (SELECT max(id) FROM words_docsize)")
        clear_checksum(db)
    with pytest.raises(Refused, match="50 passages, 49"):
        read_contents(backup)


def flip(content: bytearray, random: Random) -> None:
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)


def scribble(content: bytearray, random: Random) -> None:
    place = random.randrange(len(content))
    content[place : place + 64] = random.randbytes(64)


def cut(content: bytearray, random: Random) -> None:
    del content[random.randrange(len(content)) :]


def blank(content: bytearray, random: Random) -> None:
    place = random.randrange(len(content) // PAGE) * PAGE
    content[place : place + PAGE] = bytes(PAGE)


async def test_no_byte_of_a_backup_can_change_unnoticed(tmp_path: Path, record_property: Count) -> None:
    corpus, backup = Corpus(50), tmp_path / "away.db"
    await fill(corpus, tmp_path / "data")
    async with open_storage(tmp_path / "data") as storage:
        await storage.back_up(backup)
    written = backup.read_bytes()
    for number in range(n := trials(60)):
        harm, damaged = (flip, scribble, cut, blank)[number % 4], bytearray(written)
        harm(damaged, Random(number))
        backup.write_bytes(damaged)
        if damaged != written:
            with pytest.raises(Refused, match=r"away\.db is (damaged|no backup|empty)"):
                read_contents(backup)
    record_property("backups", n)


PLANTED = {
    "a trigger": "CREATE TRIGGER planted AFTER INSERT ON answer BEGIN DELETE FROM message; END",
    "a view": "CREATE VIEW planted AS SELECT 1",
    "a view that never ends": """
        DROP VIEW live; CREATE VIEW live AS
            WITH RECURSIVE number AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM number) SELECT id FROM number
    """,
    "a trigger in the place of ours": """
        DROP TRIGGER answer_forgotten; CREATE TRIGGER answer_forgotten AFTER DELETE ON answer BEGIN SELECT 1; END
    """,
    "a table": "CREATE TABLE planted (text TEXT)",
    "an index": "CREATE INDEX planted ON rating (vote)",
    "a column": "ALTER TABLE answer ADD COLUMN planted TEXT",
    "a computed column": "ALTER TABLE rating ADD COLUMN planted TEXT GENERATED ALWAYS AS (upper(comment)) VIRTUAL",
    "a table less": "DROP TABLE rating",
    "a trigger less": "DROP TRIGGER message_erased",
    "text that is none": "CREATE TABLE planted (x TEXT DEFAULT X'FF'); PRAGMA writable_schema = ON;"
    " UPDATE sqlite_master SET sql = CAST(X'FFD762CE' AS TEXT) WHERE name = 'planted'",
    "a newer version": "INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('citewell', 'to come')",
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("sealed", [True, False], ids=["by who knows the checksum", "by who takes it away"])
async def test_a_backup_in_which_something_was_planted_replaces_nothing(
    tmp_path: Path, planted: str, sealed: bool
) -> None:
    data, backup = tmp_path / "data", tmp_path / "away.db"
    async with open_storage(data) as storage:
        await storage.inbox.accept(message())
        await storage.back_up(backup)
    with closing(sqlite3.connect(backup, isolation_level=None)) as db:
        db.executescript(planted)
        clear_checksum(db)
    if sealed:
        write_checksum(backup)
    with pytest.raises((Refused, Misconfigured)) as refused:
        await restore_backup(backup, data)
    assert refused.value.what_to_do
    assert names(tmp_path) == {"data", "away.db"}
    async with open_storage(data) as storage:
        assert await storage.inbox.count_by_state() == {"open": 1}


async def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str = "") -> Path:
    """A backup of a program that knew less than this one."""
    await fill(Corpus(20), tmp_path / "before")
    async with open_storage(tmp_path / "before") as storage:
        backup = await storage.back_up(tmp_path / "old.db")
    with closing(sqlite3.connect(backup, isolation_level=None)) as db:
        db.executescript(f"DROP TABLE wish; DROP INDEX rating_person; DROP TRIGGER message_erased; {planted}")
        clear_checksum(db)
    write_checksum(backup)
    monkeypatch.setattr(migrations, "MIGRATIONS", {**migrations.MIGRATIONS, "wishes": None})
    return backup


async def test_a_backup_of_an_earlier_version_is_restored_and_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, questions = await earlier(tmp_path, monkeypatch), Corpus(20).questions(3)
    restored = await restore_backup(backup, tmp_path / "data")
    assert (restored.contents.passages, restored.old_folder) == (20, None)
    given = said(await answers(tmp_path / "data", questions))
    assert given == said(await answers(tmp_path / "before", questions))


async def test_what_was_planted_in_a_backup_of_an_earlier_version_is_not_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = """
        CREATE TRIGGER planted AFTER INSERT ON source BEGIN DELETE FROM revision; END;
        CREATE VIEW "planted, ""too" AS SELECT 1;
    """
    restored = await restore_backup(await earlier(tmp_path, monkeypatch, planted), tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / "citewell.db")) as db:
        assert db.execute("SELECT count(*) FROM live").fetchone() == (restored.contents.documents,)
        assert db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'planted%'").fetchall() == []


async def test_a_backup_from_before_the_first_release_replaces_nothing(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        backup = await storage.back_up(tmp_path / "old.db")
    with closing(sqlite3.connect(backup, isolation_level=None)) as db:
        db.execute("UPDATE _sqlite_migrations SET name = 'library'")
        clear_checksum(db)
    with pytest.raises(Misconfigured, match="before the first release"):
        await restore_backup(backup, tmp_path / "data")
    assert names(tmp_path) == {"data", "old.db"}


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link to a pipe", "a link to nothing"])
async def test_what_is_no_file_replaces_nothing(tmp_path: Path, kind: str) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await storage.inbox.accept(message())
    backup = tmp_path / "away.db"
    match kind:
        case "a folder":
            backup.mkdir()
        case "a pipe":
            os.mkfifo(backup)
        case _:
            backup.symlink_to(tmp_path / "elsewhere")
            if kind == "a link to a pipe":
                os.mkfifo(tmp_path / "elsewhere")
    async with asyncio.timeout(10):
        with pytest.raises(Refused, match="there is no file"):
            await restore_backup(backup, tmp_path / "data")
    assert names(tmp_path) <= {"data", "away.db", "elsewhere"}


async def test_a_backup_is_still_one_after_somebody_was_erased_from_it(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        await storage.inbox.accept(message())
        backup = await storage.back_up()
        await storage.personal_data.forget(message().author)
    assert is_intact(backup)
    assert read_contents(backup).waiting == 0


async def test_two_restores_in_a_row_keep_both_folders(tmp_path: Path) -> None:
    async with open_storage(tmp_path / "data") as storage:
        backup = await storage.back_up(tmp_path / "away.db")
    kept = {(await restore_backup(backup, tmp_path / "data")).old_folder for _ in range(3)}
    assert len(kept) == 3


async def test_nothing_is_answered_twice_after_a_restore(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "away.db"
    waiting, meanwhile, later = message("1.0"), message("2.0"), message("3.0", sent_at=datetime.now(UTC) + DAY)
    async with open_storage(data) as storage:
        await storage.inbox.accept(waiting)
        await storage.back_up(backup)
        await storage.inbox.accept(meanwhile)
    await restore_backup(backup, data)
    async with open_storage(data, exclusive=True) as storage:
        assert not await storage.inbox.accept(waiting)
        assert not await storage.inbox.accept(meanwhile)
        assert await storage.inbox.accept(later)
        found = await storage.inbox.lease()
        assert found
        assert found.message.key == waiting.key
        assert found.posting_since, "an earlier reply to it is looked for first"


async def test_where_the_folder_cannot_be_set_aside_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, backup = tmp_path / "data", tmp_path / "away.db"
    async with open_storage(data) as storage:
        await storage.inbox.accept(message())
        await storage.back_up(backup)

    def busy(self: Path, target: Path) -> Path:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(Path, "rename", busy)
    with pytest.raises(Misconfigured, match="cannot be set aside"):
        await restore_backup(backup, data)
    monkeypatch.undo()
    assert names(tmp_path) == {"data", "away.db"}
    async with open_storage(data) as storage:
        assert await storage.inbox.count_by_state() == {"open": 1}


async def test_a_backup_does_not_overwrite_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n")
    async with open_storage(tmp_path / "data") as storage:
        for target in (tmp_path / "notes.md", tmp_path / "data" / "citewell.db"):
            with pytest.raises(Refused, match="not overwritten"):
                await storage.back_up(target)
        once = await storage.back_up(tmp_path / "away.db")
        assert await storage.back_up(tmp_path / "away.db") == once
        assert (await storage.back_up(tmp_path)).parent == tmp_path
