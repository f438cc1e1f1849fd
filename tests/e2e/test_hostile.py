"""200 hostile documents on the page: no script runs, no request leaves, no style escapes, nothing becomes a link."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from adapters.web.config import WebConfig
from tests.doubles.hostile import FRAGMENTS
from tests.doubles.page import open_page
from tests.doubles.settings import extractive
from tests.e2e import asking, checks
from tests.e2e.chromium import Browser
from tests.e2e.house import House

DOCUMENTS = 200
ACTIVE = (
    "<script>document.title = 'stolen'</script>",
    "<img src=x onerror=\"document.title='stolen'\">",
    "<svg onload=\"document.title='stolen'\"><script>document.title='stolen'</script></svg>",
    "<style>*{background:rgb(255,0,0)!important;font-size:99px!important}</style>",
    "<link rel=stylesheet href=//evil.example/a.css>",
    "<base href=https://evil.example/>",
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    "<iframe srcdoc=\"<script>top.document.title='stolen'</script>\"></iframe>",
    "<iframe src=https://evil.example></iframe>",
    "<form action=https://evil.example><button autofocus formaction=javascript:alert(1)>Go</button></form>",
    "<object data=https://evil.example></object><embed src=https://evil.example>",
    "<p style=position:fixed;inset:0;background:red>All of it</p>",
    "</p></section></main></body></html><script>document.title='stolen'</script>",
    "</textarea></title></style></script><script>document.title='stolen'</script>",
    '"><img src=https://evil.example/p.png onload="document.title=\'stolen\'"><a x="',
    "<details open ontoggle=\"document.title='stolen'\">",
    "[here](javascript:document.title='stolen') ![p](https://evil.example/p.png)",
    "[here](data:text/html,<script>document.title='stolen'</script>)",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${7*7} <%= 7*7 %>",
)
SUFFIXES = (".md", ".txt", ".html", ".csv", ".rst")
WORD = "passphrase"


class Planted(NamedTuple):
    house: House
    links: list[str]


def text(drawn: random.Random, number: int, suffix: str) -> str:
    active, around = ACTIVE[number % len(ACTIVE)], (drawn.choice(FRAGMENTS) for _ in range(12))
    hostile = "".join(around).replace("\x00", "")
    said = f"The {WORD} of room {number} is blue{number}. {active} {hostile}"
    if suffix == ".html":
        escaped = said.replace("&", "&amp;").replace("<", "&lt;")
        return (
            f"<html><title>{active.replace('<', '&lt;')}</title><body><h1>{escaped}</h1><p>{escaped}</p></body></html>"
        )
    if suffix == ".csv":
        return 'room,said\n{},"{}"\n'.format(number, said.replace('"', '""'))
    return f"# Room {number} {active}\n\n{said}\n"


def name(number: int, suffix: str) -> str:
    return f"{number} {ACTIVE[number % len(ACTIVE)].replace('/', '_')[:60]}{suffix}"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    drawn = random.Random(25)
    texts = folder / "texts"
    texts.mkdir()
    for number in range(DOCUMENTS):
        suffix = SUFFIXES[number % len(SUFFIXES)]
        (texts / name(number, suffix)).write_text(text(drawn, number, suffix), encoding="utf-8", errors="replace")
    house = House(folder, {})
    house.command("index", str(texts))
    with house.running():
        yield Planted(house, asyncio.run(links(folder / "data", house)))


async def links(data: Path, house: House) -> list[str]:
    """One to the first passage of each document."""
    settings = extractive(data, embedder="none", web=WebConfig(listen=f"127.0.0.1:{house.port}", url=house.url))
    async with open_page(settings) as page:
        return [await page.link(one.id) for one in await page.citewell.storage.library.list_documents()]


def test_no_document_is_more_than_text_on_its_own_page(people: Callable[[str], Browser], planted: Planted) -> None:
    browser = people(planted.house.link)
    assert len(planted.links) >= DOCUMENTS * 0.95
    shown = tags = 0
    for link in planted.links:
        browser.open(link)
        assert not (found := checks.planted(browser)), (link, found)
        assert browser.driver.title != "stolen", link
        checks.kept_in(browser)
        shown += WORD in browser.text()
        tags += "<script>" in browser.text()
    assert shown >= DOCUMENTS * 0.9
    assert tags >= DOCUMENTS * 0.1


def test_nor_is_one_in_an_answer_nor_is_a_question(people: Callable[[str], Browser], planted: Planted) -> None:
    browser = people(planted.house.link)
    for number in range(0, DOCUMENTS, 20):
        browser.open("/")
        asking.ask(browser, f"What is the {WORD} of room {number}? {ACTIVE[number % len(ACTIVE)]}")
        assert not (found := checks.planted(browser)), found
        for mark in browser.all(".answer .mark")[:1]:
            mark.click()
            browser.find(".beside:popover-open")
        assert not (found := checks.planted(browser)), found
        checks.kept_in(browser)
