"""Which address a page of a web site goes by, whatever pages say of themselves and of others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from urllib.parse import urlsplit

import pytest

from adapters.sources.web.crawl import CrawlScope
from adapters.sources.web.urls import is_below, normalize_url
from pipeline.errors import Unavailable
from tests.contracts.sources.web import WebRemote
from tests.doubles.memory import Kept
from tests.doubles.web_site import Page, WebSite, html, moved
from tests.trials import Count, trials

TEXT = "<p>Everyone gets thirty days of leave in a year, and may take five of them along into the next one.</p>"


@pytest.fixture
async def site() -> AsyncIterator[WebSite]:
    async with WebSite().running() as running:
        yield running


def page(title: str, claims: str = "", links: str = "") -> Page:
    leads = "".join(f'<a href="{link}">{link}</a> ' for link in links.split())
    return html(title, f"{TEXT}<p>{leads}</p>", f'<link rel="canonical" href="{claims}">' if claims else "")


async def titles(site: WebSite, coverage: CrawlScope, memory: Kept | None = None, **settings: object) -> dict[str, str]:
    """The title of the page that each address stands for."""
    async with WebRemote(site).source(memory or Kept(), coverage, **settings) as source:
        items = [item async for item in source.list_items()]
        return {urlsplit(item.label).path: (await source.parse_item(item)).document.title for item in items}


@pytest.mark.parametrize("order", [["/docs/policy", "/docs/evil"], ["/docs/evil", "/docs/policy"]])
async def test_a_page_that_claims_anothers_address_does_not_displace_it_whichever_comes_first(
    site: WebSite, order: list[str]
) -> None:
    site.pages = {"/docs/policy": page("Policy"), "/docs/evil": page("Evil", "/docs/policy")}
    assert await titles(site, CrawlScope(pages=[site.url + path for path in order])) == {"/docs/policy": "Policy"}


async def test_a_claim_that_was_remembered_does_not_displace_a_page_that_came_later(site: WebSite) -> None:
    site.pages = {"/docs/": page("Contents", links="evil"), "/docs/evil": page("Evil", "/docs/policy")}
    memory, crawl = Kept(), CrawlScope(start=f"{site.url}/docs/")
    assert (await titles(site, crawl, memory))["/docs/policy"] == "Evil"
    site.pages |= {"/docs/": page("Contents", links="evil policy"), "/docs/policy": page("Policy")}
    assert await titles(site, crawl, memory) == {"/docs/": "Contents", "/docs/policy": "Policy"}


@pytest.mark.parametrize(
    "claimed",
    [
        "/board/minutes",
        "/docs-private/a",
        "/docs/%2e%2e/board/minutes",
        "/docs/..%2fboard/minutes",
        "/docs/private/a",
        "https://elsewhere.example/docs/a",
        "//elsewhere.example/docs/a",
        "http://127.0.0.1:1/docs/a",
        "javascript:alert(1)",
    ],
)
async def test_a_claim_on_an_address_that_is_not_the_sources_is_not_believed(site: WebSite, claimed: str) -> None:
    site.robots = "User-agent: *\nDisallow: /docs/private/\n"
    site.pages = {"/docs/": page("Contents", claimed)}
    assert await titles(site, CrawlScope(start=f"{site.url}/docs/")) == {"/docs/": "Contents"}


async def test_beside_pages_that_are_listed_no_other_address_is_claimed(site: WebSite) -> None:
    site.pages = {"/a": page("A", "/b"), "/c?print=1": page("C", "/c"), "/c": page("C")}
    listed = CrawlScope(pages=[site.url + path for path in site.pages])
    assert await titles(site, listed) == {"/a": "A", "/c": "C"}


async def test_two_pages_that_claim_each_others_address_keep_their_own(site: WebSite) -> None:
    site.pages = {"/docs/": page("Contents", links="a b"), "/docs/a": page("A", "b"), "/docs/b": page("B", "a")}
    found = await titles(site, CrawlScope(start=f"{site.url}/docs/"))
    assert found == {"/docs/": "Contents", "/docs/a": "A", "/docs/b": "B"}


@pytest.mark.parametrize("gone", [Page(b"", 404), Page(b"", 503), replace(page("B"), headers={"X-Robots-Tag": "none"})])
async def test_a_claim_on_an_address_where_nothing_is_does_not_lead_people_there(site: WebSite, gone: Page) -> None:
    site.pages = {"/docs/": page("Contents", links="b a"), "/docs/a": page("A", "b"), "/docs/b": gone}
    found = []
    async with WebRemote(site).source(Kept(), CrawlScope(start=f"{site.url}/docs/")) as source:
        with suppress(Unavailable):
            async for item in source.list_items():
                found.append(urlsplit(item.label).path)  # noqa: PERF401 what came before the error counts
    assert found == ["/docs/", "/docs/a"]


async def test_whatever_pages_claim_an_address_that_speaks_for_itself_stands_for_what_it_says(
    record_property: Count,
) -> None:
    tried = trials(25)
    for number in range(tried):
        chance = Random(number)
        async with WebSite().running() as site:
            site.robots = "User-agent: *\nDisallow: /docs/closed"
            names = [f"/docs/{place}" for place in range(6)]
            others = ["/docs-private/x", "/docs/closed", "/docs/absent", "/board", "https://elsewhere.example/docs/1"]
            claims = {name: chance.choice(["", "", *names, *others]) for name in names}
            links = " ".join(chance.sample([*names, "/docs/moved", "/docs-private/x", "/board"], 9))
            site.pages = {name: page(name, claims[name]) for name in names}
            site.pages |= {"/docs/": page("Contents", links=links), "/docs/moved": moved(chance.choice(names))}
            site.pages |= {"/docs-private/x": page("Private"), "/board": page("Board")}
            found = await titles(site, CrawlScope(start=f"{site.url}/docs/"))
        own = {name for name in names if claims[name] in ("", name)}
        assert own <= found.keys(), number
        assert all(found[name] == name for name in own), number
        assert not set(found) - {"/docs/", "/docs/absent", *names}, number
        assert "Private" not in found.values(), number
    record_property("sites", tried)


@pytest.mark.parametrize(
    ("prefix", "address", "held"),
    [
        ("/docs", "/docs", True),
        ("/docs", "/docs/a", True),
        ("/docs", "/docs?page=2", True),
        ("/docs", "/docs-private", False),
        ("/docs", "/docs.html", False),
        ("/docs/", "/docs/a", True),
        ("/docs/", "/docs", False),
        ("/docs", "/docs/../board", False),
        ("/docs", "/docs/%2E%2e/board", False),
        ("/docs", "/docs/..%2Fboard", False),
        ("/docs", "/docs/..%5Cboard", False),
        ("/docs", "/%64ocs/a", True),
        ("/w?space=docs", "/w?space=docs&page=1", True),
        ("/w?space=docs", "/w?space=docs-private", False),
        ("/w?space=", "/w?space=docs", True),
        ("", "/anything", True),
    ],
)
def test_a_prefix_ends_where_a_part_of_an_address_does(prefix: str, address: str, held: bool) -> None:
    site = "https://handbook.example"
    found = normalize_url(site + address)
    assert bool(found and is_below(found, normalize_url(site + prefix))) is held
