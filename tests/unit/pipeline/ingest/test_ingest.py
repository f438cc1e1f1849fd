"""Ingestion into a real library: incremental, whole or not at all, and honest about what failed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import Refused, Unavailable
from pipeline.ingest import ingest
from pipeline.ingest.ingest import DocumentChange, DocumentFailed, IngestEvent, IngestSummary, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from pipeline.ports import SourceItem, Vectors
from pipeline.values import Audience, Block, BlockKind, Document, ParsedDocument, replace
from storage.open import Storage, open_storage


class Pages:
    """A source whose documents are given; text None cannot be parsed."""

    def __init__(
        self, texts: dict[str, str | None], *, name: str = "pages", cut_off: bool = False, unread: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.texts = texts
        self.parsed: list[str] = []
        self._cut_off = cut_off
        self._unread = unread

    async def list_items(self) -> AsyncIterator[SourceItem]:
        for name, text in self.texts.items():
            yield SourceItem(id=name, label=name, version=f"version of {text}")
        if self._cut_off:
            raise Unavailable("pages", "the list was cut off")

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        self.parsed.append(item.id)
        text = self.texts[item.id]
        if text is None:
            raise Refused("it is damaged", what_to_do="Save it again.")
        document = Document(id=item.id, filename=item.id, title=item.id, source=self.name, version=item.version)
        document = replace(document, unread=self._unread)
        return ParsedDocument(document=document, blocks=(Block(kind=BlockKind.PROSE, text=text),) if text else ())


class LetterEmbedder:
    """Vectors by first letter; fails when told to."""

    name = "letters"
    dimensions = 4

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.broken = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(0)
        if self.broken:
            raise Unavailable("embedder", "the graph could not be run")
        self.texts += texts
        vectors = np.zeros((len(texts), 4), np.float32)
        for row, text in enumerate(texts):
            vectors[row, ord(text[0]) % 4] = 1
        return vectors

    async def embed_question(self, text: str) -> Vectors:
        vector: Vectors = (await self.embed([text]))[0]
        return vector


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[Storage]:
    async with open_storage(tmp_path / "data", embedder="letters") as storage:
        yield storage


async def run(
    storage: Storage,
    source: Pages,
    embedder: LetterEmbedder | None = None,
    *,
    events: list[IngestEvent] | None = None,
    collection: str = "default",
) -> IngestSummary:
    return await ingest_source(
        source,
        storage.library,
        TokenSplitter(WordTokenizer()),
        embedder,
        (events if events is not None else []).append,
        flag=lambda text: "ignore all" in text,
        collection=collection,
    )


def counts(summary: IngestSummary) -> tuple[int, int, int, int, int]:
    return summary.added, summary.changed, summary.unchanged, summary.removed, len(summary.failed)


async def names(storage: Storage, collection: str = "default") -> list[str]:
    audience = Audience(collections=frozenset({collection}))
    return [document.id for document in await storage.library.list_documents(audience)]


async def test_what_is_new_changed_unchanged_and_gone_is_told_apart(storage: Storage) -> None:
    embedder = LetterEmbedder()
    assert counts(await run(storage, Pages({"a": "A.", "b": "B.", "c": "C."}), embedder)) == (3, 0, 0, 0, 0)
    second = Pages({"a": "A.", "b": "Changed.", "d": "D."})
    assert counts(await run(storage, second, embedder)) == (1, 1, 1, 1, 0)
    assert sorted(second.parsed) == ["b", "d"]
    assert await names(storage) == ["a", "b", "d"]


async def test_a_document_without_text_is_read_once(storage: Storage) -> None:
    embedder = LetterEmbedder()
    await run(storage, Pages({"a": "A.", "blank": ""}), embedder)
    again = Pages({"a": "A.", "blank": ""})
    assert counts(await run(storage, again, embedder)) == (0, 0, 2, 0, 0)
    assert again.parsed == []


async def test_each_document_is_an_event(storage: Storage) -> None:
    events: list[IngestEvent] = []
    await run(storage, Pages({"a": "A.", "b": None}), events=events)
    assert sorted((event.change, event.label) for event in events) == [
        (DocumentChange.ADDED, "a"),
        (DocumentChange.FAILED, "b"),
    ]
    assert [event.done for event in events] == [1, 2]
    assert {event.total for event in events} == {2}


async def test_a_document_that_fails_keeps_its_old_version(storage: Storage) -> None:
    embedder = LetterEmbedder()
    await run(storage, Pages({"a": "Old words.", "b": "B."}), embedder)
    summary = await run(storage, Pages({"a": None, "b": "B."}), embedder)
    assert counts(summary) == (0, 0, 1, 0, 1)
    assert summary.failed[0].reason == "it is damaged. Save it again."
    assert isinstance(summary.failed[0], DocumentFailed)
    assert await names(storage) == ["a", "b"]


async def test_a_source_is_not_emptied_unless_that_is_meant(storage: Storage) -> None:
    async def look_again(texts: dict[str, str | None]) -> IngestSummary:
        return await ingest_source(
            Pages(texts),
            storage.library,
            TokenSplitter(WordTokenizer()),
            None,
            lambda event: None,
            flag=lambda text: False,
            losing=False,
        )

    await run(storage, Pages({"a": "A.", "b": "B."}))
    assert (await look_again({})).kept == ("a", "b")
    assert await names(storage) == ["a", "b"]
    assert (await look_again({"b": "B."})).removed == 1
    assert (await run(storage, Pages({}))).removed == 1


async def test_of_a_source_that_let_nothing_be_read_nobody_sees_what_it_does_not_list_again(storage: Storage) -> None:
    async def look_again(source: Pages) -> IngestSummary:
        given = (source, storage.library, TokenSplitter(WordTokenizer()), None, lambda event: None)
        return await ingest_source(*given, flag=lambda text: False, losing=False)

    class Denied(Pages):
        async def list_items(self) -> AsyncIterator[SourceItem]:
            raise Unavailable("pages", "lets nothing be read", denied=True)
            yield

    everything: dict[str, str | None] = {letter: letter for letter in "abcdefghijk"}
    await run(storage, Pages(everything), LetterEmbedder())
    assert (await look_again(Denied({}))).denied
    assert await names(storage) == []
    for cut_off in ({}, {"a": "a"}, everything):
        assert (await look_again(Pages(cut_off, cut_off=True))).unreached
        assert await names(storage) == []
    assert (await look_again(Pages({"a": "a"}))).removed == len(everything) - 1
    assert await names(storage) == ["a"]


async def test_what_a_source_withholds_is_forgotten_although_the_rest_is_kept(storage: Storage) -> None:
    await run(storage, Pages({name: name for name in "abc"}))
    source = Pages({}, cut_off=True)
    source.withheld = frozenset("ab")  # type: ignore[attr-defined]
    assert (await run(storage, source)).removed == 2
    assert await names(storage) == ["c"]


async def test_documents_are_stored_without_vectors_when_the_embedder_fails_and_get_them_later(
    storage: Storage,
) -> None:
    embedder = LetterEmbedder()
    embedder.broken = True
    first = await run(storage, Pages({"a": "A."}), embedder)
    assert counts(first) == (1, 0, 0, 0, 0)
    assert "could not be run" in first.degraded
    assert (await storage.index.search_lexical(["a"], Audience(collections=frozenset({"default"})), 5)).hits
    embedder.broken = False
    assert counts(await run(storage, Pages({"a": "A."}), embedder)) == (0, 1, 0, 0, 0)
    assert counts(await run(storage, Pages({"a": "A."}), embedder)) == (0, 0, 1, 0, 0)


async def test_each_unit_has_its_own_vector(storage: Storage) -> None:
    await run(storage, Pages({"a": "Alpha one. Beta two. Gamma three."}), LetterEmbedder())
    ((hit,), _) = await storage.index.search_lexical(["beta"], Audience(collections=frozenset({"default"})), 5)
    vectors = (await storage.library.get_with_vectors([hit.chunk_id]))[1].matrix
    assert vectors.argmax(axis=1).tolist() == [ord(letter) % 4 for letter in "ABG"]


async def test_a_text_that_occurs_in_many_documents_is_embedded_once_a_batch(storage: Storage) -> None:
    embedder = LetterEmbedder()
    await run(storage, Pages({f"d{n}": "The same footer everywhere." for n in range(20)}), embedder)
    assert len(embedder.texts) < 20
    assert len(await names(storage)) == 20


async def test_what_cannot_be_read_moves_to_the_collection_too(storage: Storage) -> None:
    await run(storage, Pages({"a": "A.", "b": "B.", "c": "C."}))
    cut_off = Pages({"a": "A.", "b": None}, cut_off=True)
    assert counts(await run(storage, cut_off, collection="board")) == (0, 1, 0, 0, 2)
    assert (await names(storage), await names(storage, "board")) == ([], ["a", "b", "c"])


@pytest.mark.usefixtures("chroma_at_any_size")
async def test_what_moves_is_found_by_its_vectors_where_it_is_now_and_nowhere_else(storage: Storage) -> None:
    embedder = LetterEmbedder()
    await run(storage, Pages({"a": "Alpha one. Beta two."}), embedder)
    await run(storage, Pages({"x": "Xenon."}, name="others"), embedder)
    assert await storage.vectors.sync()
    embedder.texts.clear()
    await run(storage, Pages({"a": "Alpha one. Beta two."}), embedder, collection="people")
    assert embedder.texts == []
    question = await embedder.embed_question("Alpha")
    for chroma in (False, True):
        assert not chroma or await storage.vectors.sync()
        found = {
            collection: await storage.index.search_vector(question, Audience(collections=frozenset({collection})), 5)
            for collection in ("default", "people")
        }
        documents = {
            collection: [
                document.id for _, document in await storage.library.get_chunks([hit.chunk_id for hit in hits])
            ]
            for collection, hits in found.items()
        }
        assert documents == {"default": ["x"], "people": ["a"]}
        vectors = (await storage.library.get_with_vectors([hit.chunk_id for hit in found["people"]]))[1].matrix
        assert vectors.argmax(axis=1).tolist() == [ord("A") % 4, ord("B") % 4]


async def test_many_documents_pass_through_the_bounded_queues(storage: Storage) -> None:
    texts: dict[str, str | None] = {f"d{n:03}": f"Document number {n}." for n in range(300)}
    summary = await run(storage, Pages(texts), LetterEmbedder())
    assert (summary.added, summary.chunks) == (300, 300)
    assert len(await names(storage)) == 300


async def test_no_more_batches_are_embedded_at_a_time_than_allowed(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "EMBEDDING_BATCH_UNITS", 1)
    texts: dict[str, str | None] = {f"d{n}": f"Document number {n}." for n in range(12)}
    all_read = asyncio.Event()
    running: list[int] = []
    peaks: list[int] = []

    class Read(Pages):
        async def parse_item(self, item: SourceItem) -> ParsedDocument:
            parsed = await super().parse_item(item)
            if len(self.parsed) == len(texts):
                all_read.set()
            return parsed

    class Slow(LetterEmbedder):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            running.append(1)
            await all_read.wait()
            for _ in range(20):  # turns in which another batch begins, if it may
                await asyncio.sleep(0)
            peaks.append(len(running))
            running.pop()
            return await super().embed(texts)

    assert (await run(storage, Read(texts), Slow())).added == len(texts)
    assert max(peaks) == ingest.BATCHES_AT_ONCE


async def test_a_library_that_fails_ends_the_run_with_its_own_error(storage: Storage) -> None:
    class Full:
        versions = storage.library.versions
        claim = storage.library.claim
        is_withheld = storage.library.is_withheld

        async def replace_documents(self, *_: object) -> None:
            raise Unavailable("database", "the disk is full")

    texts: dict[str, str | None] = {f"d{n}": "text" for n in range(200)}
    with pytest.raises(Unavailable, match="disk is full"):
        await ingest_source(
            Pages(texts),
            Full(),  # type: ignore[arg-type]
            TokenSplitter(WordTokenizer()),
            None,
            lambda event: None,
            flag=lambda text: False,
        )


async def test_a_source_that_stops_answering_is_not_asked_for_the_rest_and_loses_nothing(storage: Storage) -> None:
    class Stopping(Pages):
        async def parse_item(self, item: SourceItem) -> ParsedDocument:
            if item.id > "c":
                self.parsed.append(item.id)
                raise Unavailable("pages", "did not answer")
            return await super().parse_item(item)

    await run(storage, Pages({"z": "Z."}))
    source = Stopping({letter: f"{letter}." for letter in "abcdefghijk"})
    summary = await run(storage, source)
    assert summary.added == 3
    assert (summary.removed, len(summary.failed) in (1, 2)) == (0, True)
    assert await names(storage) == ["a", "b", "c", "z"]


async def test_what_could_not_be_read_is_told_and_kept_with_the_document(storage: Storage) -> None:
    parts = ("page 2: no text, only a picture", "page 3: a form")
    summary = await run(storage, Pages({"house.pdf": "Open."}, unread=parts), LetterEmbedder())
    assert summary.unread == (("house.pdf", parts),)
    (document,) = await storage.library.list_documents()
    assert document.unread == parts
    again = await run(storage, Pages({"house.pdf": "Open."}, unread=parts), LetterEmbedder())
    assert (again.unread, counts(again)) == ((), (0, 0, 1, 0, 0))
