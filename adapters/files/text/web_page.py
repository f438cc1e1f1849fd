"""A page of a web site -> blocks: its main content, without what the site has around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from adapters.files.outline import Content
from adapters.files.text.html import main_of, read_soup

_WORDS = 3
"""Words in a row that tell that two texts are one."""
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_OUTLIERS = 0.05
"""Of the characters that were found, at either end: one footer that is taken for content does not widen the rest."""


def read_page(content: bytes) -> Content:
    """The content that trafilatura finds, in its own structure: headings with their ids, lists, tables and code.

    Trafilatura tells where the content is; what it leaves out inside of it (short items, code) is kept, but for parts
    that are mostly links. Images are read as their alternative text."""
    import trafilatura

    soup = BeautifulSoup(content, "lxml")
    kept = _kept(soup, trafilatura.extract(content, include_comments=False, favor_recall=True) or "")
    main = main_of(soup)
    if main is soup and kept:
        main = _holder(kept) or soup
    if kept:
        _drop_links(main, kept)
    for image in main.find_all("img", alt=True):
        image.replace_with(f" {image['alt']} ")
    return read_soup(soup, main)


def _kept(soup: BeautifulSoup, text: str) -> list[NavigableString]:
    """The texts of the page that are in `text`, as far as they are long enough to tell."""
    told = set(_runs(text.replace("|", " ").split()))
    return [
        node
        for node in (soup.body or soup).find_all(string=True)
        if not isinstance(node, PreformattedString) and (run := next(_runs(node.split()), None)) and run in told
    ]


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + _WORDS]) for start in range(len(words) - _WORDS + 1))


def _holder(kept: Sequence[NavigableString]) -> Tag | None:
    """The innermost element with a heading around all of `kept` but its outliers."""
    reached = list(accumulate(map(len, kept)))
    first = next(place for place, size in enumerate(reached) if size > _OUTLIERS * reached[-1])
    last = next(place for place, size in enumerate(reached) if size >= (1 - _OUTLIERS) * reached[-1])
    around = {id(parent) for parent in kept[first].parents}
    shared = (parent for parent in kept[last].parents if id(parent) in around)
    return next((parent for parent in shared if parent.find(_HEADINGS)), None)


def _drop_links(main: Tag, kept: Iterable[NavigableString]) -> None:
    """Remove from `main` the parts without any of `kept` that are mostly links: share buttons, other pages."""
    holders: set[int] = set()
    for node in kept:
        for parent in node.parents:
            if id(parent) in holders:
                break
            holders.add(id(parent))
    for part in [part for part in main.find_all(True) if _outermost(part, holders)]:
        links = sum(len(link.get_text(strip=True)) for link in part.find_all("a"))
        if part.name in {"div", "section", "ul", "p"} and links and 2 * links >= len(part.get_text(strip=True)):
            part.decompose()


def _outermost(part: PageElement, holders: set[int]) -> bool:
    return id(part) not in holders and id(part.parent) in holders
