"""What a web source takes, what it leaves out, and how little it asks for."""

from __future__ import annotations

import gzip
import io
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from reportlab.pdfgen.canvas import Canvas

from adapters.sources.web.crawl import CrawlScope
from adapters.sources.web.source import WebSource
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem
from pipeline.values import ParsedDocument
from tests.contracts.sources.web import WebRemote
from tests.doubles.memory import Kept
from tests.doubles.web_site import Page, WebSite, html, moved, sitemap, sitemap_index


def pdf(text: str) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 720, text)
    canvas.save()
    return file.getvalue()


class Naps:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    async with WebSite().running() as running:
        yield running


def opened(
    site: WebSite, memory: Kept, coverage: CrawlScope, **settings: object
) -> AbstractAsyncContextManager[WebSource]:
    return WebRemote(site).source(memory, coverage, **settings)


async def listed(site: WebSite, memory: Kept, coverage: CrawlScope, **settings: object) -> list[SourceItem]:
    async with opened(site, memory, coverage, **settings) as source:
        return [item async for item in source.list_items()]


async def read(site: WebSite, coverage: CrawlScope) -> list[ParsedDocument]:
    async with opened(site, Kept(), coverage) as source:
        return [await source.parse_item(item) for item in [item async for item in source.list_items()]]


def paths(items: list[SourceItem]) -> list[str]:
    return [urlsplit(item.label).path for item in items]


def linking(*links: str, head: str = "") -> Page:
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return html("Contents", f"<p>These are the pages of the handbook.</p><ul>{items}</ul>", head)


def crawl(site: WebSite) -> CrawlScope:
    return CrawlScope(start=f"{site.url}/docs/")


TEXT = "<p>Everyone gets thirty days of leave in a year, and may take five of them along into the next one.</p>"


async def test_a_crawl_takes_what_links_lead_to_within_the_prefix(site: WebSite) -> None:
    site.pages = {
        "/docs/": linking("leave", "./travel.html#rates", "../other/", "/docs/sub/", "http://elsewhere.example/docs/"),
        "/docs/leave": html("Leave", TEXT),
        "/docs/travel.html": linking("/docs/", "leave", "mailto:a@b.example", "javascript:void(0)", "http://["),
        "/docs/sub/": html("Sub", TEXT),
        "/docs/alone": html("Alone", TEXT),
        "/other/": html("Other", TEXT),
    }
    items = await listed(site, Kept(), crawl(site))
    assert paths(items) == ["/docs/", "/docs/leave", "/docs/travel.html", "/docs/sub/"]


async def test_a_page_that_did_not_change_costs_one_request_and_still_leads_to_others(site: WebSite) -> None:
    site.pages = {"/docs/": linking("a"), "/docs/a": linking("b"), "/docs/b": html("B", TEXT)}
    memory = Kept()
    first = await listed(site, memory, crawl(site))
    site.outage.requests, site.sent = 0, 0
    assert await listed(site, memory, crawl(site)) == first
    assert (site.outage.requests, site.sent) == (1 + 3, 0)


async def test_a_server_that_only_knows_when_a_page_was_changed_is_asked_for_that(site: WebSite) -> None:
    when = "Sun, 22 Nov 2026 10:00:00 GMT"
    site.pages["/docs/"] = Page(
        html("A", TEXT).body, headers={"Content-Type": "text/html", "Last-Modified": when}, validates=False
    )
    memory = Kept()
    for _ in range(2):
        await listed(site, memory, crawl(site))
    assert site.headers["/docs/"]["If-Modified-Since"] == when


async def test_pages_that_are_listed_are_taken_and_no_others(site: WebSite) -> None:
    site.pages = {"/a": linking("/b"), "/b": html("B", TEXT), "/c": html("C", TEXT)}
    assert paths(await listed(site, Kept(), CrawlScope(pages=[f"{site.url}/a", f"{site.url}/c#x"]))) == ["/a", "/c"]


@pytest.mark.parametrize("packed", [False, True])
async def test_an_index_of_sitemaps_is_followed_on_its_own_server(site: WebSite, packed: bool) -> None:
    pack = gzip.compress if packed else bytes
    xml = {"Content-Type": "application/xml"}
    site.pages = {"/a": html("A", TEXT), "/b": html("B", TEXT)}
    site.pages["/1.xml"] = Page(pack(sitemap([f"{site.url}/a", "http://elsewhere.example/x"])), headers=xml)
    site.pages["/2.xml"] = Page(pack(sitemap([f"{site.url}/b"])), headers=xml)
    maps = [f"{site.url}/1.xml", f"{site.url}/2.xml", f"{site.url}/index.xml", "http://elsewhere.example/3.xml"]
    site.pages["/index.xml"] = Page(pack(sitemap_index(maps)), headers=xml)
    assert paths(await listed(site, Kept(), CrawlScope(sitemap=f"{site.url}/index.xml"))) == ["/a", "/b"]


async def test_a_sitemap_of_plain_lines_is_understood(site: WebSite) -> None:
    site.pages["/a"] = html("A", TEXT)
    site.pages["/map.txt"] = Page(f"{site.url}/a\n{site.url}/a\n".encode(), headers={"Content-Type": "text/plain"})
    assert paths(await listed(site, Kept(), CrawlScope(sitemap=f"{site.url}/map.txt"))) == ["/a"]


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>Sorry</body></html>",
        b"<urlset",
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        gzip.compress(b"<x>", mtime=0),
        b"\x1f\x8bno gzip",
    ],
)
async def test_what_is_no_sitemap_is_refused(site: WebSite, body: bytes) -> None:
    site.pages["/map.xml"] = Page(body)
    with pytest.raises(Refused, match="no sitemap"):
        await listed(site, Kept(), CrawlScope(sitemap=f"{site.url}/map.xml"))


async def test_a_sitemap_that_is_gone_forgets_nothing(site: WebSite) -> None:
    with pytest.raises(Unavailable):
        await listed(site, Kept(), CrawlScope(sitemap=f"{site.url}/gone.xml"))


@pytest.mark.parametrize("status", [404, 410, 500])
async def test_a_crawl_whose_first_page_does_not_come_forgets_nothing(site: WebSite, status: int) -> None:
    site.pages["/docs/"] = Page(b"", status)
    with pytest.raises(Unavailable):
        await listed(site, Kept(), crawl(site))


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_a_page_that_nobody_may_read_any_more_is_gone(site: WebSite, status: int) -> None:
    site.pages = {"/docs/": linking("a"), "/docs/a": html("A", TEXT)}
    memory = Kept()
    assert len(await listed(site, memory, crawl(site))) == 2
    site.pages["/docs/a"] = Page(b"", status)
    assert paths(await listed(site, memory, crawl(site))) == ["/docs/"]


async def test_a_page_that_fails_is_kept_with_what_it_leads_to_and_the_rest_is_read(site: WebSite) -> None:
    site.pages = {"/docs/": linking("a", "c"), "/docs/a": linking("b")}
    site.pages |= {"/docs/b": html("B", TEXT), "/docs/c": html("C", TEXT)}
    memory = Kept()
    before = await listed(site, memory, crawl(site))
    site.pages["/docs/a"] = Page(b"", 500)
    site.pages["/docs/c"] = html("C", f"{TEXT} Changed.")
    after = []
    async with opened(site, memory, crawl(site)) as source:
        with pytest.raises(Unavailable):  # noqa: PT012
            async for item in source.list_items():
                after.append(item)  # noqa: PERF401 what came before the error counts
    assert paths(after) == paths(before)
    assert [item.version for item in after if item not in before] != []


async def test_a_site_that_is_down_is_left_after_five_pages(site: WebSite) -> None:
    site.pages = {f"/{number}": Page(b"", 503) for number in range(20)}
    with pytest.raises(Unavailable):
        await listed(site, Kept(), CrawlScope(pages=[site.url + path for path in site.pages]))
    assert site.outage.requests == 1 + 5 * 4


async def test_robots_txt_is_obeyed(site: WebSite) -> None:
    site.robots = "User-agent: *\nDisallow: /docs/private/\n\nUser-agent: other\nDisallow: /\n"
    site.pages = {"/docs/": linking("private/a", "b", "c"), "/docs/b": html("B", TEXT)}
    site.pages |= {"/docs/private/a": html("A", TEXT), "/docs/c": moved("/docs/private/a")}
    assert paths(await listed(site, Kept(), crawl(site))) == ["/docs/", "/docs/b"]
    assert "GET /docs/private/a" not in site.outage.paths[:-1]


async def test_a_page_that_was_named_and_that_robots_txt_forbids_is_told(site: WebSite) -> None:
    site.robots = "User-agent: citewell\nDisallow: /"
    site.pages["/a"] = html("A", TEXT)
    async with opened(site, Kept(), CrawlScope(pages=[f"{site.url}/a"])) as source:
        [item] = [item async for item in source.list_items()]
        with pytest.raises(Refused, match=r"robots\.txt"):
            await source.parse_item(item)


async def test_a_site_without_robots_txt_is_read_and_one_whose_robots_txt_does_not_come_is_not(site: WebSite) -> None:
    site.pages = {"/robots.txt": Page(b"", 404), "/docs/": html("A", TEXT)}
    assert len(await listed(site, Kept(), crawl(site))) == 1
    site.pages["/robots.txt"] = Page(b"", 503)
    with pytest.raises(Unavailable):
        await listed(site, Kept(), crawl(site))


@pytest.mark.parametrize(
    ("head", "header", "taken"),
    [
        ('<meta name="robots" content="noindex">', "", ["/docs/", "/docs/b"]),
        ('<meta name="ROBOTS" content="NOINDEX, FOLLOW">', "", ["/docs/", "/docs/b"]),
        ('<meta name="robots" content="nofollow">', "", ["/docs/", "/docs/a"]),
        ('<meta name="robots" content="none">', "", ["/docs/"]),
        ('<meta name="citewell" content="none">', "", ["/docs/"]),
        ('<meta name="otherbot" content="none">', "", ["/docs/", "/docs/a", "/docs/b"]),
        ("", "noindex", ["/docs/", "/docs/b"]),
        ("", "noindex, nofollow", ["/docs/"]),
        ("", "otherbot: noindex", ["/docs/", "/docs/a", "/docs/b"]),
        ("", "citewell: none", ["/docs/"]),
    ],
)
async def test_what_a_page_says_to_robots_is_obeyed(site: WebSite, head: str, header: str, taken: list[str]) -> None:
    page = linking("b", head=head)
    if header:
        page = replace(page, headers={**page.headers, "X-Robots-Tag": header})
    site.pages = {"/docs/": linking("a"), "/docs/a": page, "/docs/b": html("B", TEXT)}
    assert paths(await listed(site, Kept(), crawl(site))) == taken


async def test_a_link_that_is_marked_nofollow_is_not_followed(site: WebSite) -> None:
    page = '<p><a rel="external nofollow" href="a">A</a> <a href="b">B</a></p>'
    site.pages = {"/docs/": html("C", page), "/docs/a": html("A", TEXT), "/docs/b": html("B", TEXT)}
    assert paths(await listed(site, Kept(), crawl(site))) == ["/docs/", "/docs/b"]


async def test_one_page_under_several_addresses_is_one_document_under_its_canonical_one(site: WebSite) -> None:
    page = html("A", TEXT, '<link rel="canonical" href="/docs/a">')
    site.pages = {"/docs/": linking("a?print=1", "a", "b"), "/docs/a?print=1": page, "/docs/a": page}
    site.pages["/docs/b"] = moved("/docs/a")
    assert paths(await listed(site, Kept(), crawl(site))) == ["/docs/", "/docs/a"]


async def test_a_canonical_address_on_another_server_is_not_believed(site: WebSite) -> None:
    site.pages["/docs/"] = html("A", TEXT, '<link rel="canonical" href="https://elsewhere.example/docs/">')
    [found] = await read(site, crawl(site))
    assert found.document.url == f"{site.url}/docs/"


async def test_a_redirect_out_of_the_prefix_is_not_taken(site: WebSite) -> None:
    site.pages = {"/docs/": linking("a"), "/docs/a": moved("/login"), "/login": html("Sign in", TEXT)}
    assert paths(await listed(site, Kept(), crawl(site))) == ["/docs/"]


async def test_at_most_so_many_pages_are_asked_for(site: WebSite) -> None:
    site.pages = {f"/docs/{number}": linking(str(number + 1)) for number in range(50)}
    items = await listed(site, Kept(), CrawlScope(start=f"{site.url}/docs/0"), max_pages=7)
    assert (len(items), site.outage.requests) == (7, 1 + 7)


async def test_the_pace_of_a_server_is_kept(site: WebSite) -> None:
    site.robots = "User-agent: *\nCrawl-delay: 7\n"
    site.pages = {"/docs/": linking("a"), "/docs/a": html("A", TEXT)}
    for settings, least in (({}, 6.0), ({"pace": 11.0}, 10.0)):
        naps = Naps()
        await listed(site, Kept(), crawl(site), sleep=naps, **settings)
        assert min(naps.seconds[1:]) > least


async def test_a_page_is_its_content_with_anchors_code_lists_tables_and_images_as_text(site: WebSite) -> None:
    inner = (
        f'{TEXT}<h2 id="rates">Rates</h2><table><tr><th>Country</th><th>Rate</th></tr><tr><td>Spain</td><td>51 EUR'
        "</td></tr></table><ol><li>Open the form.</li><li>Send it.</li></ol><pre><code>claims send</code></pre><p>See "
        '<a href="/x">the list of rates</a>. <img src="a.png" alt="Map of the offices"></p>'
    )
    site.pages["/docs/"] = html("Leave & travel", inner)
    [found] = await read(site, crawl(site))
    texts = [block.text for block in found.blocks]
    assert (found.document.title, found.document.url) == ("Leave & travel", f"{site.url}/docs/")
    for text in ("Country | Rate", "Spain | 51 EUR", "Open the form.", "claims send"):
        assert text in texts
    assert "See the list of rates. Map of the offices" in texts
    assert not {"All rights reserved", "Start of the site"} & set(texts)
    assert [block.anchor for block in found.blocks if block.text == "Rates"] == ["rates"]


async def test_files_of_the_formats_that_are_read_are_taken_and_others_are_not_asked_for(site: WebSite) -> None:
    site.pages = {
        "/docs/": linking("plan.pdf", "notes", "logo.png", "film.mp4", "data.bin"),
        "/docs/plan.pdf": Page(pdf("The plan is to move in May."), headers={"Content-Type": "application/pdf"}),
        "/docs/notes": Page(b"# Notes\n\nWe meet on Mondays.", headers={"Content-Type": "text/markdown"}),
        "/docs/data.bin": Page(b"\0\1", headers={"Content-Type": "application/octet-stream"}),
    }
    found = {parsed.document.filename: parsed for parsed in await read(site, crawl(site))}
    assert list(found) == ["docs", "plan.pdf", "notes"]
    assert "The plan is to move in May." in " ".join(block.text for block in found["plan.pdf"].blocks)
    assert found["notes"].document.title == "Notes"
    assert not {"GET /docs/logo.png", "GET /docs/film.mp4"} & set(site.outage.paths)


async def test_the_servers_charset_goes_before_that_of_the_page(site: WebSite) -> None:
    body = html("Büro", "<p>Das Büro hat neun Räume für alle Gäste.</p>", '<meta charset="utf-8">').body
    latin = body.decode().encode("iso-8859-1")
    site.pages["/docs/"] = Page(latin, headers={"Content-Type": "text/html; charset=iso-8859-1"})
    [found] = await read(site, crawl(site))
    assert found.document.title == "Büro"


async def test_a_page_that_is_too_large_is_told_and_the_rest_is_read(site: WebSite) -> None:
    site.pages = {"/docs/": linking("a", "b"), "/docs/a": Page(b" " * 21_000_000), "/docs/b": html("B", TEXT)}
    async with opened(site, Kept(), crawl(site)) as source:
        items = [item async for item in source.list_items()]
        with pytest.raises(Refused, match="more than 20 MB"):
            await source.parse_item(items[1])
    assert paths(items) == ["/docs/", "/docs/a", "/docs/b"]


async def test_a_page_that_was_seen_but_not_read_before_is_asked_for_again(site: WebSite) -> None:
    site.pages["/docs/"] = html("A", TEXT)
    memory = Kept()
    await listed(site, memory, crawl(site))
    async with opened(site, memory, crawl(site)) as source:
        [item] = [item async for item in source.list_items()]
        assert (await source.parse_item(item)).document.title == "A"


async def test_a_sitemap_is_read_as_far_as_pages_are_asked_for(site: WebSite) -> None:
    addresses = "".join(f"<url><loc>{site.url}/{number}</loc></url>" for number in range(60_000))
    site.pages["/sitemap.xml"] = Page(f"<urlset>{addresses}</urlset>".encode(), headers={"Content-Type": "text/xml"})
    site.pages["/1"] = html("One", TEXT)
    assert paths(await listed(site, Kept(), CrawlScope(sitemap=f"{site.url}/sitemap.xml"), max_pages=3)) == ["/1"]


async def test_a_page_of_endless_links_is_followed_within_limits(site: WebSite) -> None:
    links = "".join(f'<a href="p{number}.html">p</a>' for number in range(20_000))
    site.pages["/docs/"] = html("Start", f'{TEXT}<a href="{"x" * 3_000}.html">long</a>{links}')
    memory = Kept()
    assert paths(await listed(site, memory, crawl(site), max_pages=2)) == ["/docs/"]
    assert max(map(len, memory.values())) < 1_000_000


async def test_links_that_are_too_many_to_be_kept_are_read_from_their_page_again(
    site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.sources.web.source.MAX_LINK_CHARACTERS", 10)
    site.pages = {"/docs/": linking("leave"), "/docs/leave": html("Leave", TEXT)}
    memory = Kept()
    for _ in range(2):
        assert paths(await listed(site, memory, crawl(site))) == ["/docs/", "/docs/leave"]
    assert "/docs/leave" not in memory[f"page {site.url}/docs/"]
