"""What a source keeps between two looks at its service."""

from storage.documents.source_state import SQLSourceMemory
from tests.doubles.engines import Engine


async def test_each_source_recalls_what_it_kept_and_nothing_it_forgot(engine: Engine) -> None:
    async with engine.database() as database:
        wiki, files = SQLSourceMemory(database, "web:wiki"), SQLSourceMemory(database, "folder")
        assert await wiki.load() == {}
        await wiki.update({"cursor": "1", "etag": "a"})
        await files.update({"cursor": "9"})
        await wiki.update({"cursor": "2", "etag": None, "never": None})
        assert await wiki.load() == {"cursor": "2"}
        assert await files.load() == {"cursor": "9"}
