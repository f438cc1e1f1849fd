"""The content of a page, out of sites that are built in different ways."""

from __future__ import annotations

import contextlib

import pytest

from adapters.files.html.web_page import read_web_page
from adapters.files.reader import FileReader
from pipeline.errors import Refused
from pipeline.values import BlockKind

CONTENT = """<h1 id="top">Travel policy</h1>
<p>Everyone books trains through the travel desk before the tenth of the month, and keeps the receipt.</p>
<h2 id="rates">Daily rates</h2><p>These are the <a href="/rates">daily rates</a> that we pay in each country.</p>
<table><tr><th>Country</th><th>Rate</th></tr><tr><td>Denmark</td><td>75 EUR</td></tr></table>
<h2 id="steps">How to claim</h2>
<ol><li>Open the form.</li><li>Attach the receipt.<ul><li>Photos are fine.</li></ul></li></ol>
<h3 id="cli">From the terminal</h3><pre><code>claims send --month 05
claims status</code></pre><ul><li>Short.</li></ul><p>Ask finance.</p>"""
MENU = '<ul><li><a href="/">MENU Home</a></li><li><a href="/blog">MENU Our blog</a></li></ul>'
OTHERS = '<h3>OTHERS Related</h3><ul><li><a href="/a">OTHERS Ten tips for travellers</a></li></ul>'
FOOT = '<p>FOOT 2026 Example. All rights reserved.</p><ul><li><a href="/imprint">FOOT Imprint</a></li></ul>'
COOKIES = "<p>COOKIES make this site better for you, if you accept them.</p><button>Accept</button>"
WAY = '<a href="/">WAY Start</a> &gt; <a href="/policies">WAY Policies</a>'
SHARE = '<a href="#">SHARE on a network</a> <a href="#">SHARE by mail</a>'
SITES = {
    "semantic": f"<header><nav>{MENU}</nav></header><main>{CONTENT}</main><aside>{OTHERS}</aside>"
    f"<footer>{FOOT}</footer>",
    "divisions": f'<div id="header">{MENU}</div><div id="cookie-banner">{COOKIES}</div><div class="container"><div '
    f'id="content">{CONTENT}</div><div id="sidebar">{OTHERS}</div></div><div id="footer">{FOOT}</div>',
    "blog": f'<div id="masthead">{MENU}</div><div id="primary"><div class="post"><div class="entry-content">{CONTENT}'
    f'</div><div class="sharedaddy">{SHARE}</div></div></div><div id="secondary">{OTHERS}</div>'
    f'<div id="colophon">{FOOT}</div>',
    "wiki": f'<div id="content"><div id="mw-content-text"><div class="mw-parser-output">{CONTENT}</div></div></div>'
    f'<div id="mw-navigation"><div class="portal">{MENU}</div></div><div id="footer">{FOOT}</div>',
    "documentation": f'<nav>{MENU}</nav><main><div class="breadcrumbs">{WAY}</div>{CONTENT}<div class="share">{SHARE}'
    f'</div><div class="related">{OTHERS}</div></main><footer>{FOOT}</footer>',
    "bare": CONTENT,
}


def page(inner: str) -> bytes:
    return f"<html><head><title>Travel policy - Example</title></head><body>{inner}</body></html>".encode()


@pytest.mark.parametrize("site", SITES)
def test_all_of_the_content_is_read_and_nothing_around_it(site: str) -> None:
    bare = read_web_page(page(CONTENT))
    found = read_web_page(page(SITES[site]))
    assert [(block.kind, block.text, block.anchor) for block in found.blocks] == [
        (block.kind, block.text, block.anchor) for block in bare.blocks
    ]
    assert found.title == "Travel policy"


def test_headings_lists_tables_and_code_keep_their_kind() -> None:
    kinds = {block.text: block.kind for block in read_web_page(page(SITES["divisions"])).blocks}
    assert kinds["Daily rates"] is BlockKind.HEADING
    assert kinds["Country | Rate"] is BlockKind.HEADER
    assert kinds["Denmark | 75 EUR"] is BlockKind.ROW
    assert kinds["Open the form."] is BlockKind.STEP
    assert kinds["Photos are fine."] is BlockKind.ITEM
    assert kinds["claims send --month 05\nclaims status"] is BlockKind.CODE


def test_a_short_page_keeps_its_heading() -> None:
    content = '<div id="content"><h1>Opening hours</h1><p>Nine to five on weekdays.</p></div>'
    inner = f'<div id="menu">{MENU}</div>{content}<div id="footer"><p>FOOT</p></div>'
    assert {"Opening hours", "Nine to five on weekdays."} <= {block.text for block in read_web_page(page(inner)).blocks}


def test_a_page_of_links_is_read() -> None:
    links = "".join(f'<li><a href="/{number}">Chapter {number}</a></li>' for number in range(30))
    texts = [block.text for block in read_web_page(page(f"<h1>Chapters</h1><ul>{links}</ul>")).blocks]
    assert texts[:2] == ["Chapters", "Chapter 0"]
    assert len(texts) == 31


def test_an_image_is_read_as_its_text() -> None:
    found = read_web_page(page(f'{CONTENT}<p>Where we are: <img src="map.png" alt="a map of the offices"></p>'))
    assert "Where we are: a map of the offices" in [block.text for block in found.blocks]


@pytest.mark.parametrize("body", [b"<p></p>", b"<html><body><script>app()</script></body></html>", b"<"])
async def test_a_page_without_text_is_refused(body: bytes) -> None:
    reader = FileReader()
    with pytest.raises(Refused, match="no text"):
        await reader.read_web_page(body)
    await reader.close()


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 20_000 + b"text",
        b'<a href="x">' * 5_000,
        b"<table><tr><td>" * 2_000,
        b"<div><p>one two three " * 1_000,
    ],
    ids=["deep", "links", "tables", "nested"],
)
async def test_a_hostile_page_costs_an_error_or_a_document_and_no_more(body: bytes) -> None:
    reader = FileReader()
    with contextlib.suppress(Refused):
        await reader.read_web_page(body)
    assert (await reader.read_web_page(page(CONTENT))).title == "Travel policy"
    await reader.close()
