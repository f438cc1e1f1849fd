"""What the port `Library` promises, held on every engine."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from pipeline.ports import DocumentStore, DocumentVersion
from pipeline.values import PARSER_VERSION, Audience, BlockKind, Chunk, Unit, replace
from tests.doubles.engines import Engine
from tests.doubles.samples import chunks, document, matrices


@pytest.fixture
async def library(engine: Engine) -> AsyncIterator[DocumentStore]:
    async with engine.storage(embedder="m") as storage:
        await storage.vectors.close()
        yield storage.library


async def put(library: DocumentStore, name: str, *texts: str, embedder: str = "m", **fields: str) -> None:
    await library.replace_document(document(name, **fields), chunks(name, texts), matrices(len(texts)), embedder)


async def texts(library: DocumentStore, *ids: str) -> list[str]:
    return [chunk.text for chunk, _ in await library.get_chunks(ids)]


async def test_chunks_come_with_their_document_in_the_order_asked_for_and_unknown_ones_are_left_out(
    library: DocumentStore,
) -> None:
    await put(library, "leave", "one", "two")
    await put(library, "travel", "three")
    found = await library.get_chunks(["travel#0", "nobody#0", "leave#1", "leave#0"])
    assert [(chunk.text, owner.title) for chunk, owner in found] == [
        ("three", "About travel"),
        ("two", "About leave"),
        ("one", "About leave"),
    ]


async def test_a_document_is_replaced_as_a_whole(library: DocumentStore) -> None:
    await put(library, "leave", "old one", "old two", version="1")
    await put(library, "leave", "new one", version="2")
    assert await texts(library, "leave#0", "leave#1") == ["new one"]
    assert await library.versions("folder") == {"leave": "2"}
    assert await library.count() == 1


async def test_a_failure_in_the_middle_leaves_the_old_version_and_nothing_of_the_new(library: DocumentStore) -> None:
    await put(library, "leave", "old", version="1")
    broken = chunks("leave", ["new", "newer"])
    with pytest.raises(ValueError):
        await library.replace_document(document("leave", version="2"), broken, matrices(1), "m")
    assert await texts(library, "leave#0", "leave#1") == ["old"]
    assert await library.versions("folder") == {"leave": "1"}


async def test_documents_that_are_replaced_together_are_each_replaced_as_a_whole(library: DocumentStore) -> None:
    await put(library, "leave", "old one", "old two", version="1")
    await library.replace_documents([version_of(name, f"new {name}") for name in ("leave", "travel", "expenses")])
    assert await texts(library, "leave#0", "leave#1", "travel#0", "expenses#0") == [
        "new leave",
        "new travel",
        "new expenses",
    ]
    assert await library.versions("folder") == dict.fromkeys(["leave", "travel", "expenses"], "2")


async def test_of_two_versions_of_a_document_that_come_together_the_last_serves(library: DocumentStore) -> None:
    await library.replace_documents([version_of("leave", "first"), version_of("leave", "second")])
    assert await texts(library, "leave#0") == ["second"]
    assert await library.count() == 1


async def test_where_one_of_several_documents_fails_those_before_it_are_new_and_no_old_version_is_lost(
    library: DocumentStore,
) -> None:
    await put(library, "leave", "old", version="1")
    await put(library, "travel", "old", version="1")
    broken = version_of("travel", "new", "newer")._replace(vectors=matrices(1))
    with pytest.raises(ValueError):
        await library.replace_documents([version_of("leave", "new"), broken, version_of("expenses", "new")])
    assert await texts(library, "travel#0", "travel#1") == ["old"]
    assert await texts(library, "leave#0") == ["new"]
    assert await library.versions("folder") == {"leave": "2", "travel": "1"}


def version_of(name: str, *texts: str) -> DocumentVersion:
    return DocumentVersion(document(name, version="2"), chunks(name, texts), matrices(len(texts)), "m")


async def test_an_excerpt_says_of_which_document_as_of_when_and_how_long_that_is(library: DocumentStore) -> None:
    await put(library, "leave", "one", "two", "three")
    found = await library.excerpt("leave", 1, 5)
    assert found
    assert ([chunk.text for chunk in found.chunks], found.total, found.document.id) == (["two", "three"], 3, "leave")
    assert found.indexed_at
    assert abs((datetime.now(UTC) - found.indexed_at).total_seconds()) < 60
    assert await library.excerpt("nobody", 0, 1) is None


async def test_dated_documents_come_newest_first_and_only_those_that_the_audience_may_see(
    library: DocumentStore,
) -> None:
    days = {
        "old": "2023-01-01",
        "new": "2026-05-02",
        "newer": "2026-06-01T10:00",
        "undated": "",
        "hidden": "2026-07-01",
    }
    for name, day in days.items():
        metadata = {"updated": day} if day else {}
        collection = "board" if name == "hidden" else "default"
        dated = replace(document(name, collection=collection), metadata=metadata)
        await library.replace_document(dated, chunks(name, ["first", "second"]), matrices(2), "m")
    everyone = Audience(collections=frozenset({"default"}))
    found, total = await library.changed_since("2026-05-02", everyone, 1)
    assert ([(chunk.text, owner.id) for chunk, owner in found], total) == ([("first", "newer")], 2)
    assert [owner.id for _, owner in (await library.changed_since("0", everyone, 9))[0]] == ["newer", "new", "old"]


async def test_documents_are_found_by_how_their_ids_begin(library: DocumentStore) -> None:
    for name in ("leave%", "leave_a", "pay", "日本語"):
        await put(library, name, "text")
    assert set(await library.ids_with_prefix("leave")) == {"leave%", "leave_a"}
    assert (await library.ids_with_prefix("leave_"), await library.ids_with_prefix("日本")) == (["leave_a"], ["日本語"])


async def test_neighbours_are_of_the_same_document_and_version(library: DocumentStore) -> None:
    await put(library, "leave", "old a", "old b", "old c", "old d")
    await put(library, "leave", "a", "b", "c")
    await put(library, "travel", "d")
    first, middle, last = [chunk for chunk, _ in await library.get_chunks(["leave#0", "leave#1", "leave#2"])]
    assert [side and side.text for side in await library.neighbours(first)] == [None, "b"]
    assert [side and side.text for side in await library.neighbours(middle)] == ["a", "c"]
    assert [side and side.text for side in await library.neighbours(last)] == ["b", None]


async def test_an_audience_lists_its_own_collections_by_collection_and_filename(library: DocumentStore) -> None:
    for name, collection in (("b", "hr"), ("a", "hr"), ("c", "board"), ("d", "all")):
        await put(library, name, "text", collection=collection)
    audience = Audience(collections=frozenset({"hr", "all"}))
    assert [owner.id for owner in await library.list_documents(audience)] == ["d", "a", "b"]
    assert [owner.id for owner in await library.list_documents()] == ["d", "c", "a", "b"]


async def test_removing_forgets_and_counts_what_was_there(library: DocumentStore) -> None:
    await put(library, "leave", "one")
    await put(library, "travel", "two")
    assert await library.remove_documents(["leave", "nobody"]) == 1
    assert await library.remove_documents(["leave"]) == 0
    assert [owner.id for owner in await library.list_documents()] == ["travel"]
    assert await texts(library, "leave#0", "travel#0") == ["two"]


async def test_versions_are_of_one_source(library: DocumentStore) -> None:
    await put(library, "leave", "one", source="handbook", version="x")
    await put(library, "travel", "two", source="wiki", version="y")
    assert await library.versions("handbook") == {"leave": "x"}
    assert await library.versions("nowhere") == {}


async def test_a_source_that_claims_a_collection_has_its_documents_there_as_they_were(library: DocumentStore) -> None:
    await put(library, "leave", "one", "two", source="/team", version="x")
    await put(library, "rates", source="/team", version="y", embedder="")
    await put(library, "travel", "three", source="/wiki")
    assert sorted(await library.claim("/team", "hr")) == ["leave", "rates"]
    assert await library.claim("/team", "hr") == []
    assert not await library.is_withheld("/team")
    await library.withhold("/team")
    assert (await library.is_withheld("/team"), await library.list_collections()) == (True, ["default"])
    assert sorted(await library.claim("/team", "hr")) == ["leave", "rates"]
    assert not await library.is_withheld("/team")
    assert {one.id: one.collection for one in await library.list_documents()} == {
        "leave": "hr",
        "rates": "hr",
        "travel": "default",
    }
    assert await texts(library, "leave#0", "leave#1") == ["one", "two"]
    assert await library.versions("/team") == {"leave": "x", "rates": ""}
    assert await library.list_sources() == {"/team": "hr"}


async def test_a_source_inside_another_takes_over_what_lies_in_it(library: DocumentStore) -> None:
    for name, source in (("a", "/team"), ("hr/b", "/team"), ("hr2/c", "/team"), ("d", "/team/hr/deep")):
        await put(library, name, "text", source=source)
    assert await library.claim("/team/hr", "hr") == ["hr/b"]
    assert await library.claim("/team/a.md", "board") == ["a"]
    assert {one.id: (one.collection, one.source, one.filename) for one in await library.list_documents()} == {
        "a": ("board", "/team/a.md", "a.md"),
        "hr/b": ("hr", "/team/hr", "b.md"),
        "hr2/c": ("default", "/team", "hr2/c.md"),
        "d": ("default", "/team/hr/deep", "d.md"),
    }


async def test_a_document_embedded_by_another_model_is_due_again(library: DocumentStore) -> None:
    await put(library, "leave", "one", embedder="other")
    assert await library.versions("folder") == {"leave": ""}


async def test_a_document_may_have_no_passages_and_one_may_have_many(library: DocumentStore) -> None:
    await put(library, "empty")
    await put(library, "long", *(f"passage {number}" for number in range(1500)))
    assert await library.count() == 2
    assert await texts(library, "long#0", "long#1499") == ["passage 0", "passage 1499"]


async def test_any_text_comes_back_as_it_was(library: DocumentStore) -> None:
    """NUL, which PostgreSQL cannot hold, may come back as another character."""
    kept = ["年次有給休暇は二十五日", "naïve “quotes” & 'more' \x00 end", "emoji 🏖️", ""]
    replaced = [text.replace("\x00", "\ufffd") for text in kept]
    await put(library, "odd", *kept)
    assert await texts(library, "odd#0", "odd#1", "odd#2", "odd#3") in (kept, replaced)


async def test_a_version_in_parts_has_vectors_also_where_nobody_knew_how_long_they_are(library: DocumentStore) -> None:
    parts = chunks("leave", ["one", "two", "three"])
    begun = await library.stage_version(document("leave", version="1"), "m", 0)
    await begun.add(parts[:2], matrices(2))
    taken_over = await library.stage_version(document("leave", version="1"), "m", 0)
    assert taken_over.existing_ids == [chunk.id for chunk in parts[:2]]
    await taken_over.add(parts[2:], matrices(1))
    await taken_over.publish("m")
    _, vectors = await library.get_with_vectors([chunk.id for chunk in parts])
    assert vectors.matrix.shape == (3, matrices(1)[0].shape[1])


async def test_cells_code_and_what_was_not_read_are_kept(library: DocumentStore) -> None:
    text = "Day | Late | Night\nFriday |  | Emeka"
    units = (
        Unit(start=0, end=18, kind=BlockKind.HEADER, part=1, cells=(3, 10, 18)),
        Unit(start=19, end=36, kind=BlockKind.ROW, part=1, parent=0, cells=(6, 9, 17)),
    )
    chunk = Chunk(id="shifts#0", document_id="shifts", text=text, units=units, code=((31, 36),))
    kept = replace(document("shifts"), unread=("page 2: no text, only a picture",))
    await library.replace_document(kept, [chunk], None, "")
    ((found, owner),) = await library.get_chunks(["shifts#0"])
    assert found == chunk
    assert found.cells_at(1) == ("Friday", "", "Emeka")
    assert owner.unread == kept.unread


async def test_what_an_earlier_version_read_is_due_again(library: DocumentStore) -> None:
    for name, reading in (("now", PARSER_VERSION), ("before", "1"), ("unsaid", "")):
        read = replace(document(name), reading=reading)
        await library.replace_document(read, chunks(name, ["text"]), matrices(1), "m")
    assert await library.versions("folder") == {"now": "1", "before": "", "unsaid": "1"}
