"""A document of any length comes in parts: seen when it is complete, gone on with where a run was cut off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import Unavailable
from pipeline.ingest.ingest import DocumentProgress, IngestEvent, IngestSummary, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import SourceItem, Vectors
from pipeline.values import Audience, Block, BlockKind, Chunk, Document, ParsedDocument
from storage.open import Storage, open_storage

EVERYBODY = Audience(collections=frozenset({"default"}))
ROWS = 4_000


class Stock:
    """One table, and the version it is of."""

    name = "stock"

    def __init__(self, version: str = "1", rows: int = ROWS) -> None:
        self.version = version
        self.rows = rows

    async def list_items(self) -> AsyncIterator[SourceItem]:
        yield SourceItem(id="stock", label="stock.csv", version=self.version)

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        document = Document(id="stock", filename="stock.csv", title="Stock", source=self.name, version=self.version)
        blocks = [Block(kind=BlockKind.HEADER, text="part | site | count", row=1)]
        rows = (f"part{number} of v{self.version} | Porto | {number % 7}" for number in range(self.rows))
        blocks += [Block(kind=BlockKind.ROW, text=text, row=number) for number, text in enumerate(rows, 2)]
        return ParsedDocument(document=document, blocks=blocks)


class Crash(Exception):
    """The process ends."""


class Counting:
    """Vectors by length; down after so many calls."""

    name = "lengths"
    dimensions = 2

    def __init__(self, *, calls: int = 1_000) -> None:
        self.calls = calls
        self.texts = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls -= 1
        if self.calls < 0:
            raise Unavailable("embedder", "down")
        self.texts += len(texts)
        return np.array([[1.0, len(text)] for text in texts], np.float32) / 100

    async def embed_question(self, text: str) -> Vectors:
        vector: Vectors = (await self.embed([text]))[0]
        return vector


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(tmp_path / "data", embedder=Counting.name) as storage:
        yield storage


async def run(
    storage: Storage,
    source: Stock,
    embedder: Counting,
    tell: Callable[[IngestEvent], None] = lambda _: None,
    tokens: int = 500,
) -> IngestSummary:
    splitter = TokenSplitter(WordTokenizer(), tokens=tokens)
    return await ingest_source(source, storage.library, splitter, embedder, tell, flag=lambda text: "part3999 " in text)


async def cut_off(storage: Storage, source: Stock, parts: int = 2) -> None:
    """A run that ends when so many parts are stored."""
    events: list[IngestEvent] = []

    def tell(event: IngestEvent) -> None:
        events.append(event)
        if len(events) == parts:
            raise Crash

    with pytest.raises(Crash):
        await run(storage, source, Counting(), tell)


async def found(storage: Storage, *words: str) -> list[Chunk]:
    hits = (await storage.index.search_lexical(words, EVERYBODY, 5)).hits
    return [chunk for chunk, _ in await storage.library.get_chunks([hit.chunk_id for hit in hits])]


async def stored(storage: Storage) -> list[tuple[str, str, bytes, bytes]]:
    """All that is kept of the chunks, in order."""
    rows = "SELECT id, body, matrix, vector FROM chunk JOIN unit_vectors USING (number) JOIN mean_vector USING (number)"
    return await storage.database.read(lambda db: db.execute(f"{rows} ORDER BY number").fetchall())


async def test_every_row_is_found_with_its_place_and_under_its_header(storage: Storage) -> None:
    await run(storage, Stock(), Counting())
    for number in (0, 1999, 2000, 3999):
        (chunk, *_) = await found(storage, f"part{number}")
        rows = [chunk.text[unit.start : unit.end] for unit in chunk.units]
        assert f"part{number} of v1 | Porto | {number % 7}" in rows
        assert rows[0] == "part | site | count"
        assert chunk.row is not None
        assert 0 <= number + 2 - chunk.row < len(rows)


async def test_short_rows_of_a_long_table_share_a_vector(storage: Storage) -> None:
    embedder = Counting()
    await run(storage, Stock(), embedder)
    chunks = await stored(storage)
    assert embedder.texts < 2 * len(chunks)
    (chunk,) = (await found(storage, "part2345"))[:1]
    assert chunk.together
    assert len((await storage.library.get_with_vectors([chunk.id]))[1].matrix) == 1


async def test_the_rows_of_a_short_table_have_their_own(storage: Storage) -> None:
    await run(storage, Stock(rows=500), Counting())
    (chunk,) = (await found(storage, "part234"))[:1]
    assert len((await storage.library.get_with_vectors([chunk.id]))[1].matrix) == len(chunk.units)


async def test_progress_is_told_within_a_document(storage: Storage) -> None:
    events: list[IngestEvent] = []
    await run(storage, Stock(), Counting(), events.append)
    shares = [event.share for event in events if isinstance(event, DocumentProgress)]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.9


async def test_an_order_to_an_assistant_is_seen_in_the_last_part(storage: Storage) -> None:
    assert (await run(storage, Stock(), Counting())).flagged == ("stock.csv",)


async def test_a_key_is_told_by_its_form_with_its_document_in_whichever_part_it_stands(storage: Storage) -> None:
    class Leaky(Stock):
        async def parse_item(self, item: SourceItem) -> ParsedDocument:
            parsed = await super().parse_item(item)
            key = Block(kind=BlockKind.ROW, text="key | ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, row=ROWS + 2)
            return ParsedDocument(document=parsed.document, blocks=[*parsed.blocks, key])

    summary = await run(storage, Leaky(), Counting())
    assert summary.keys == (("stock.csv", ("GitHub token",)),)
    (document,) = await storage.library.list_documents()
    assert document.keys == ("GitHub token",)


async def test_the_old_version_serves_until_the_new_one_is_complete(storage: Storage) -> None:
    await run(storage, Stock("1"), Counting())
    await cut_off(storage, Stock("2"))
    assert await found(storage, "v1")
    assert not await found(storage, "v2")
    await run(storage, Stock("2"), Counting())
    assert not await found(storage, "v1")
    assert await found(storage, "v2")


async def test_a_run_that_was_cut_off_is_gone_on_with(storage: Storage, tmp_path: Path) -> None:
    await cut_off(storage, Stock())
    rest, whole = Counting(), Counting()
    again = await run(storage, Stock(), rest)
    async with open_storage(tmp_path / "other", embedder=Counting.name) as other:
        undisturbed = await run(other, Stock(), whole)
        assert (again, await stored(storage)) == (undisturbed, await stored(other))
    assert rest.texts < whole.texts


@pytest.mark.parametrize("tokens", [100, 600])
async def test_what_is_left_of_a_run_with_other_settings_is_forgotten(
    storage: Storage, tmp_path: Path, tokens: int
) -> None:
    await cut_off(storage, Stock())
    await run(storage, Stock(), Counting(), tokens=tokens)
    async with open_storage(tmp_path / "other", embedder=Counting.name) as other:
        await run(other, Stock(), Counting(), tokens=tokens)
        assert await stored(storage) == await stored(other)


async def test_a_document_whose_embedder_fails_half_way_is_found_by_words_and_due_again(storage: Storage) -> None:
    broken = await run(storage, Stock(), Counting(calls=1))
    assert broken.added == 1
    assert broken.degraded
    assert await found(storage, "part3999")
    again = await run(storage, Stock(), Counting())
    assert (again.changed, again.degraded) == (1, "")
    assert all(matrix for _, _, matrix, _ in await stored(storage))


async def test_a_document_whose_first_part_alone_cannot_be_embedded_has_no_vectors_and_is_due_again(
    storage: Storage,
) -> None:
    class Busy(Counting):
        """Refuses its first call, once it has had a second."""

        def __init__(self) -> None:
            super().__init__()
            self.is_asked_again = asyncio.Event()

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if self.calls == 1_000:
                self.calls -= 1
                async with asyncio.timeout(60):
                    await self.is_asked_again.wait()
                raise Unavailable("embedder", "too many requests")
            self.is_asked_again.set()
            return await super().embed(texts)

    embedder = Busy()
    assert (await run(storage, Stock(), embedder)).degraded
    assert embedder.texts
    assert await stored(storage) == []
    again = await run(storage, Stock(), Counting())
    assert (again.changed, again.unchanged, again.degraded) == (1, 0, "")
    chunk_count = await storage.database.read(lambda db: db.execute("SELECT count(*) FROM chunk").fetchone()[0])
    assert len(await stored(storage)) == chunk_count > 0


async def test_a_document_that_is_removed_while_it_comes_in_stays_removed(storage: Storage) -> None:
    await run(storage, Stock("1"), Counting())

    class Removing(Counting):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            if self.calls == 999:
                await storage.library.remove_documents(["stock"])
            return await super().embed(texts)

    summary = await run(storage, Stock("2"), Removing())
    assert [failed.label for failed in summary.failed] == ["stock.csv"]
    assert not await found(storage, "part1")
    assert await stored(storage) == []
