"""The pages of the documentation, read as those who follow their links and copy their commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[3]
RUNNABLE = "<!-- runnable -->"
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("t*/**/README.md"))
    if "node_modules" not in page.parts
)
"""Without the documents of the example, the tests and the data sets."""


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Where the page's links lead, other sites left out."""
    inline = [token for block in tokens(page) for token in block.children or ()]
    found = [
        str(token.attrGet("href") or token.attrGet("src")) for token in inline if token.type in ("link_open", "image")
    ]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """What GitHub calls the page's headings in addresses."""
    found: dict[str, int] = {}
    for heading, inside in zip(tokens(page), tokens(page)[1:], strict=False):
        if heading.type == "heading_open":
            text = "".join(token.content for token in inside.children or ())
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
    return {f"{name}-{number}" if number else name for name, most in found.items() for number in range(most + 1)}


def runnable(page: Path) -> Iterator[str]:
    """The shell blocks behind the mark."""
    for mark, block in zip(tokens(page), tokens(page)[1:], strict=False):
        if mark.type == "html_block" and mark.content.strip() == RUNNABLE:
            assert block.type == "fence", f"{page} has a mark without a block"
            yield block.content


def quotations(page: Path) -> list[str]:
    """The code spans in the first cell of each row of the page's tables."""
    found = []
    for row, cell, inside in zip(tokens(page), tokens(page)[1:], tokens(page)[2:], strict=False):
        if (row.type, cell.type) == ("tr_open", "td_open"):
            found += [token.content for token in inside.children or () if token.type == "code_inline"]
    return found
