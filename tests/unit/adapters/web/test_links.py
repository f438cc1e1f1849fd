"""A link opens what it was made for, and nothing once any of that is another."""

from __future__ import annotations

import string
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.web.links import (
    CITED_FRAGMENT,
    LIFETIME,
    LINK_CLOCK_SKEW,
    InvalidLink,
    InvalidLinkReason,
    LinkTarget,
    SignedLinks,
)
from pipeline.values import Chunk, Document, DocumentExcerpt, RetrievedChunk, replace
from tests.doubles.samples import chunks, document

URL = "https://citewell.acme.example"
DAY = 86_400.0
TOKEN = string.ascii_letters + string.digits + "-_."


@dataclass
class Shelf:
    """The port `Sources` in memory."""

    list_documents: dict[str, DocumentExcerpt] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    secret: str = "k1"

    async def signing_key(self) -> str:
        return self.secret

    def access_fingerprint(self, collection: str) -> str:
        return self.rules.get(collection, "")

    async def find_by_prefix(self, text: str) -> Sequence[str]:
        return [name for name in self.list_documents if name.startswith(text)]

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        there = self.list_documents.get(document_id)
        return there and replace(there, chunks=there.chunks[start : start + most])

    async def has_original(self, document: Document) -> bool:
        return False

    async def open_original(self, document: Document) -> BinaryIO | None:
        return None

    def put(self, owner: Document, texts: Sequence[str]) -> list[RetrievedChunk]:
        cut = chunks(owner.id, texts)
        self.list_documents[owner.id] = DocumentExcerpt(document=owner, chunks=tuple(cut), total=len(cut))
        return [RetrievedChunk(chunk=chunk, document=owner, score=1.0) for chunk in cut]


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def token(link: str) -> str:
    return link.removeprefix(f"{URL}/s/").partition("#")[0]


async def opening(shelf: Shelf, clock: Clock | None = None) -> SignedLinks:
    return await SignedLinks(f"{URL}/", shelf, clock or Clock()).load_key()


async def refused(links: SignedLinks, given: str) -> InvalidLinkReason:
    with pytest.raises(InvalidLink) as closed:
        await links.resolve(given)
    return closed.value.reason


async def test_a_link_opens_its_passage_with_the_quoted_words() -> None:
    shelf = Shelf()
    _, passage = shelf.put(document("leave"), ["One.", "You get 25 days. They expire in March. Ask early."])
    link = (await opening(shelf)).build_url(passage, ["You get 25 days.", "Ask early."])
    cited = await (await opening(shelf)).resolve(token(link))
    assert (cited.chunk, cited.document, cited.total) == (passage.chunk, passage.document, 2)
    assert [cited.chunk.text[start:end] for start, end in cited.spans] == ["You get 25 days.", "Ask early."]
    assert link.endswith(f"#{CITED_FRAGMENT}")


async def test_words_that_follow_on_each_other_are_one_span_and_words_that_are_not_there_none() -> None:
    shelf = Shelf()
    (passage,) = shelf.put(document("leave"), ["A b. C d. E f."])
    link = (await opening(shelf)).build_url(passage, ["C d.", "A b.", "nowhere", ""])
    assert (await (await opening(shelf)).resolve(token(link))).spans == ((0, 9),)


async def test_a_document_with_an_address_of_its_own_keeps_it() -> None:
    shelf = Shelf()
    owner = replace(document("wiki"), url="https://wiki.acme.example/a")
    (passage,) = shelf.put(owner, ["Text."])
    assert (await opening(shelf)).build_url(passage) == "https://wiki.acme.example/a"


@pytest.mark.parametrize("name", ["a/" + "long name " * 30, "日本語の長い名前" * 12, "short… of it"])
async def test_a_link_fits_into_a_message_whatever_its_document_is_called(name: str) -> None:
    shelf = Shelf()
    shelf.put(document(name + "and another"), ["Text."])
    (passage,) = shelf.put(document(name), ["Some words here. " * 40])
    links = await opening(shelf)
    link = links.build_url(passage, ["words here. Some", "Some words"])
    assert len(link) < 300
    assert (await links.resolve(token(link))).document.id == name


@given(st.data())
async def test_nothing_but_the_very_token_opens_anything(data: st.DataObject) -> None:
    shelf = Shelf()
    passages = shelf.put(document("leave"), ["One.", "Two."]) + shelf.put(document("pay"), ["Three."])
    links = await opening(shelf)
    ours = [token(links.build_url(passage)) for passage in passages]
    one = data.draw(st.sampled_from(ours))
    at = data.draw(st.integers(0, len(one)))
    piece = data.draw(st.text(TOKEN, max_size=4) | st.sampled_from([part for t in ours for part in t.split(".")]))
    for tampered in (one[:at] + piece + one[at + len(piece) :], one[:at] + piece + one[at:], one[:at], piece):
        if tampered in ours:
            continue
        assert await opened(links, tampered) in (None, await opened(links, almost(tampered, ours)))


def almost(tampered: str, ours: Sequence[str]) -> str:
    """The token that it is but for its last character, which has two bits that say nothing."""
    return next((token for token in ours if token[:-1] == tampered[:-1]), "")


async def opened(links: SignedLinks, given: str) -> LinkTarget | None:
    """What it opens; None where it is not known as ours."""
    try:
        return await links.resolve(given)
    except InvalidLink as closed:
        return None if closed.reason is InvalidLinkReason.UNKNOWN else pytest.fail(closed.reason)


@given(st.text(max_size=2_000))
async def test_any_text_is_refused_in_order(text: str) -> None:
    assert await refused(await opening(Shelf()), text) is InvalidLinkReason.UNKNOWN


@pytest.mark.parametrize("ahead", [-365 * DAY, -DAY, -300.0, -1.0, 0.0, 1.0, 300.0, DAY, 20 * DAY, 365 * DAY])
async def test_a_link_is_open_for_thirty_days_and_an_hour_at_most_whatever_the_clock_did(ahead: float) -> None:
    shelf, clock = Shelf(), Clock()
    (passage,) = shelf.put(document("leave"), ["Text."])
    links = await opening(shelf, clock)
    clock.now += ahead
    link = token(links.build_url(passage))
    clock.now -= ahead
    hours = 0
    for _ in range(500 * 24):
        with suppress(InvalidLink):
            await links.resolve(link)
            hours += 1
        clock.now += DAY / 24
    assert hours <= (LIFETIME + LINK_CLOCK_SKEW).total_seconds() * 24 / DAY + 1


@pytest.mark.parametrize("ahead", [1.0, 60.0, 3599.0])
async def test_a_link_of_a_process_whose_clock_is_a_little_ahead_opens_at_once(ahead: float) -> None:
    shelf, clock = Shelf(), Clock()
    (passage,) = shelf.put(document("leave"), ["Text."])
    links = await opening(shelf, clock)
    clock.now += ahead
    link = token(links.build_url(passage))
    clock.now -= ahead
    assert (await links.resolve(link)).document.id == "leave"


async def test_it_expires() -> None:
    shelf, clock = Shelf(), Clock()
    (passage,) = shelf.put(document("leave"), ["Text."])
    links = await opening(shelf, clock)
    link = token(links.build_url(passage))
    clock.now += LIFETIME.total_seconds()
    assert await links.resolve(link)
    clock.now += 1
    assert await refused(links, link) is InvalidLinkReason.EXPIRED


async def test_it_opens_nothing_once_the_key_is_another_and_new_ones_do() -> None:
    shelf = Shelf()
    (passage,) = shelf.put(document("leave"), ["Text."])
    links = await opening(shelf)
    link = token(links.build_url(passage))
    shelf.secret = "k2"
    assert await refused(links, link) is InvalidLinkReason.UNKNOWN
    assert await links.resolve(token((await links.load_key()).build_url(passage)))


async def test_it_opens_nothing_once_what_it_was_made_for_is_another() -> None:
    shelf = Shelf(rules={"hr": "only staff"})
    before = document("leave")
    (passage,) = shelf.put(before, ["Text."])
    links = await opening(shelf)
    link = token(links.build_url(passage))

    shelf.put(replace(before, version="2"), ["Text."])
    assert await refused(links, link) is InvalidLinkReason.CHANGED
    shelf.put(before, [])
    assert await refused(links, link) is InvalidLinkReason.CHANGED
    shelf.list_documents["leave"] = DocumentExcerpt(document=before, chunks=(recut(passage.chunk),), total=1)
    assert await refused(links, link) is InvalidLinkReason.CHANGED
    shelf.put(replace(before, collection="hr"), ["Text."])
    assert await refused(links, link) is InvalidLinkReason.MOVED
    shelf.put(before, ["Text."])
    shelf.rules["default"] = "only board"
    assert await refused(links, link) is InvalidLinkReason.RULE
    del shelf.list_documents["leave"]
    assert await refused(links, link) is InvalidLinkReason.REMOVED


def recut(chunk: Chunk) -> Chunk:
    """What stands at its place after the document was split anew."""
    return replace(chunk, id=f"{chunk.id}-anew")
