"""What a source keeps between two looks at its service."""

from pathlib import Path

from storage.database import Database
from storage.source_memory import SQLiteSourceMemory


async def test_each_source_recalls_what_it_kept_and_nothing_it_forgot(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "c.db")
    try:
        wiki, files = SQLiteSourceMemory(database, "web:wiki"), SQLiteSourceMemory(database, "folder")
        assert await wiki.recall() == {}
        await wiki.keep({"cursor": "1", "etag": "a"})
        await files.keep({"cursor": "9"})
        await wiki.keep({"cursor": "2", "etag": None, "never": None})
        assert await wiki.recall() == {"cursor": "2"}
        assert await files.recall() == {"cursor": "9"}
    finally:
        await database.close()
