"""Where pages and sitemaps lead is read in the child that reads files: hostile ones cost an error line and no more."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import suppress
from random import Random

import pytest

from adapters.files.content import MAX_SITEMAP_BYTES, PageLinks
from adapters.files.reader import FileReader
from adapters.files.text.page_links import MAX_LINKS, MAX_PAGE_LINK_LENGTH, MAX_SITEMAP_URLS
from pipeline.errors import Refused
from tests.doubles.web_site import sitemap, sitemap_index
from tests.trials import Count, trials

SITE = "https://docs.example"
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "https://docs.example/">'
    + b"".join(b'<!ENTITY %c "%s">' % (97 + n, b"&%c;" % (96 + n) * 10) for n in range(1, 10))
    + b"]><urlset><url><loc>&j;</loc></url><url><loc>https://docs.example/a</loc></url></urlset>"
)
OUTSIDE = (
    b'<!DOCTYPE urlset [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY web SYSTEM "http://127.0.0.1:9/x">]>'
    b"<urlset><url><loc>&file;</loc></url><url><loc>&web;</loc></url><loc>https://docs.example/a</loc></urlset>"
)


@pytest.fixture
async def reader() -> AsyncIterator[FileReader]:
    found = FileReader()
    yield found
    await found.close()


async def still_reads(reader: FileReader) -> None:
    assert (await reader.read_sitemap(sitemap([f"{SITE}/after"]))).links == (f"{SITE}/after",)


@pytest.mark.parametrize(
    "content",
    [
        b"<urlset>" + b"<url>" * 100_000,
        b"<urlset><loc>" + b"x" * 11_000_000,
        gzip.compress(b"<urlset>" + b" " * (MAX_SITEMAP_BYTES + 1), 9),
        b'<!DOCTYPE html SYSTEM "file:///etc/passwd"><html/>',
        b"<\x00",
    ],
)
async def test_a_sitemap_that_explodes_is_refused_and_the_next_is_read(reader: FileReader, content: bytes) -> None:
    with pytest.raises(Refused, match="sitemap"):
        await reader.read_sitemap(content)
    await still_reads(reader)


@pytest.mark.parametrize("content", [LAUGHS, OUTSIDE])
async def test_entities_stand_for_nothing(reader: FileReader, content: bytes) -> None:
    with suppress(Refused):
        assert (await reader.read_sitemap(content)).links == (f"{SITE}/a",)
    await still_reads(reader)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
async def test_of_a_sitemap_of_many_more_pages_as_many_are_kept_as_the_protocol_allows(
    reader: FileReader, pack: type[bytes]
) -> None:
    listed = b"".join(b"<url><loc>/%d</loc></url>" % number for number in range(400_000))
    found = await reader.read_sitemap(pack(b"<urlset>" + listed + b"</urlset>"))
    assert (len(found.links), found.links[-1]) == (MAX_SITEMAP_URLS, f"/{MAX_SITEMAP_URLS - 1}")


async def test_a_list_of_addresses_without_line_ends_holds_none_that_is_too_long(reader: FileReader) -> None:
    assert (await reader.read_sitemap(b"x" * 20_000_000 + b"\n/a\n")).links == ("/a",)


async def test_an_index_of_sitemaps_is_told_from_a_sitemap(reader: FileReader) -> None:
    found = await reader.read_sitemap(sitemap_index([f"{SITE}/1.xml"]))
    assert (found.is_sitemap_index, found.links) == (True, (f"{SITE}/1.xml",))


@pytest.mark.parametrize(
    "content",
    [
        b"<div>" * 200_000,
        b"<a href=x " * 500_000,
        b"<a href=" + b"x" * 20_000_000,
        b"<!--" * 2_000_000,
        b"&amp" * 2_000_000,
        b"<table><a>" * 50_000,
        b"".join(b"<a href=/%d>" % number for number in range(100_000)),
        b"<a href=\xff\xfe\x00>\x00<\x00",
    ],
)
async def test_a_head_that_explodes_keeps_no_more_than_is_allowed_and_the_next_is_read(
    reader: FileReader, content: bytes
) -> None:
    with suppress(Refused):
        found = await reader.read_page_links(content)
        assert len(found.links) <= MAX_LINKS
        assert all(len(link) <= MAX_PAGE_LINK_LENGTH for link in (*found.links, found.base_url, found.canonical))
    assert (await reader.read_page_links(b"<a href=after>")).links == ("after",)


PIECES = (
    *(b"<urlset>", b"</urlset>", b"<sitemapindex>", b"<url>", b"<loc>", b"</loc>", b"https://docs.example/a"),
    *(b"<a href=", b"<base href=", b"<link rel=canonical href=", b"<meta name=robots content=none>", b"<html>"),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&#0;", b"&#x110000;", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b"<![CDATA[", b"]]>", b'"', b"'", b">", b"<", b"\n", b" ", b"\xc3", b"x" * 3000, b"<x:loc>", b"\x1f\x8b"),
    *(b"<loc xmlns='y'>", b"<!--", b"<?xml ?>"),
)


async def test_whatever_a_head_or_a_sitemap_is_made_of_it_is_read_or_refused(
    reader: FileReader, record_property: Count
) -> None:
    tried = trials(300)
    for number in range(tried):
        chance = Random(number)
        content = b"".join(chance.choices(PIECES, k=chance.randrange(12)))
        for read in (reader.read_page_links, reader.read_sitemap):
            found = PageLinks()
            with suppress(Refused):
                found = await read(content)
            assert all(0 < len(link) <= MAX_PAGE_LINK_LENGTH for link in found.links), (number, content)
    record_property("heads_and_sitemaps", 2 * tried)
