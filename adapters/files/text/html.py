"""HTML -> blocks: what a reader sees of the page's own content."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from adapters.files.outline import Content, Outline, given_title, label
from pipeline.values import BlockKind, Link

_UNREAD = frozenset(
    """script style template noscript head title meta link svg math canvas iframe object embed audio video nav aside
    footer form button select input textarea dialog""".split()
)
_BLOCKS = frozenset(
    """address article blockquote body center dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 header
    hgroup hr html legend li main ol p pre section summary table ul""".split()
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_BOILERPLATE_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu", "alert"})
_ENOUGH = 200
"""Characters that <main> or <article> must hold to be taken for the content."""
_LONGEST_ANCHOR = 400
"""Characters of an `id` that is taken into links."""
_LONGEST_NUMBER = 9
"""Digits of a step's number, as in CommonMark."""
MAX_DEPTH = 200
"""Elements nested deeper are read as inline text."""


def read_html(content: bytes) -> Content:
    """The main content with headings, lists, tables and code; scripts, hidden text and navigation left out."""
    soup = BeautifulSoup(content, "lxml")
    return read_soup(soup, main_of(soup))


def read_soup(soup: BeautifulSoup, main: Tag) -> Content:
    """As `read_html`, of `main`, which is in `soup`."""
    outline = Outline()
    _HtmlWalk(outline, soup, _single_h1(soup)).flow([main])
    named = given_title(soup.title.get_text(" ")) if soup.title else ""
    found = outline.content()
    return found if found.title else found.model_copy(update={"title": label(named)})


def read_into(outline: Outline, fragment: str) -> None:
    """Append a fragment of HTML to `outline`."""
    soup = BeautifulSoup(fragment, "lxml")
    _HtmlWalk(outline, soup, None).flow([soup])


def _single_h1(soup: BeautifulSoup) -> Tag | None:
    found = soup.find_all("h1", limit=2)
    return found[0] if len(found) == 1 and isinstance(found[0], Tag) else None


def main_of(soup: BeautifulSoup) -> Tag:
    """The element that the page itself calls its content, otherwise all of it."""
    for found in (soup.find_all("main"), soup.find_all(role="main"), soup.find_all("article")):
        if len(found) == 1 and isinstance(found[0], Tag) and len(found[0].get_text(strip=True)) >= _ENOUGH:
            return found[0]
    return soup


def _unread(element: PageElement) -> bool:
    """Whether a reader of the page does not see `element`, or sees it on every page."""
    if not isinstance(element, Tag):
        return isinstance(element, PreformattedString)
    if element.name in _UNREAD or element.has_attr("hidden") or element.get("aria-hidden") == "true":
        return True
    if element.get("role") in _BOILERPLATE_ROLES:
        return True
    if element.name == "header" and element.find("h1") is None and element.find_parent("article") is None:
        return True
    return bool(_HIDDEN_STYLE.search(str(element.get("style") or "")))


def _holders(soup: BeautifulSoup) -> set[int]:
    """The identities of all elements that hold a block, however deep."""
    holders: set[int] = set()
    for element in soup.descendants:
        if not isinstance(element, Tag) or element.name not in _BLOCKS:
            continue
        for parent in element.parents:
            if id(parent) in holders:
                break
            holders.add(id(parent))
    return holders


class _HtmlWalk:
    def __init__(self, outline: Outline, soup: BeautifulSoup, title: Tag | None) -> None:
        self._outline = outline
        self._holders = _holders(soup)
        self._title = title
        self._base = _base(soup)
        self._run: list[PageElement] = []

    def flow(self, elements: Iterable[PageElement], depth: int = 0, *, nested: int = 0) -> None:
        """Blocks in order; text between them is prose. `nested`: how many lists they stand in."""
        for element in elements:
            if _unread(element):
                continue
            if isinstance(element, Tag) and self._is_block(element) and depth <= MAX_DEPTH:
                self._flush(nested)
                self._block(element, depth, nested=nested)
            else:
                self._run.append(element)
        self._flush(nested)

    def _block(self, element: Tag, depth: int, *, nested: int) -> None:
        name = element.name
        if re.fullmatch(r"h[1-6]", name):
            self._outline.anchor = _anchor(element)
            self._outline.heading(int(name[1]), _inline(element), title=element is self._title)
            self._outline.anchor = ""
        elif name in {"ul", "ol", "menu"}:
            counts = name == "ol" and not nested
            first = _number(element) if counts else 0
            items = [item for item in element.find_all("li", recursive=False) if not _unread(item)]
            for place, item in enumerate(items):
                self._item(item, depth, nested, number=first + place if counts else None)
        elif name == "table" and not element.find("table"):
            self._table(element, nested)
        elif name == "pre":
            self._outline.add(BlockKind.CODE, element.get_text(), depth=nested)
        elif name == "dt":
            term = _inline(element).strip().rstrip(":") + ":"
            self._outline.add(BlockKind.PROSE, term, depth=nested, links=self._links([element]))
        elif name == "dd":
            self._item(element, depth, nested, number=None)
        else:
            self.flow(element.children, depth + 1, nested=nested)

    def _item(self, item: Tag, depth: int, nested: int, *, number: int | None) -> None:
        """Inline content and paragraphs that open an item are its text; what else it holds follows it. `number`: of a
        step."""
        children = list(item.children)
        tags = [(place, child) for place, child in enumerate(children) if isinstance(child, Tag)]
        end = next((place for place, tag in tags if tag.name != "p" and self._is_block(tag)), len(children))
        opening = (
            f"\n{_inline(child)}\n" if getattr(child, "name", "") == "p" else _inline(child) for child in children[:end]
        )
        kind = BlockKind.ITEM if number is None else BlockKind.STEP
        links = self._links(children[:end])
        self._outline.add(kind, _squeeze("".join(opening)), depth=nested, number=number or 0, links=links)
        self.flow(children[end:], depth + 1, nested=nested + 1)

    def _table(self, table: Tag, nested: int) -> None:
        if caption := table.find("caption"):
            self._outline.add(BlockKind.PROSE, _squeeze(_inline(caption)), depth=nested, links=self._links([caption]))
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.find_all("tr") if not _unread(row)]
        rows = [cells for cells in rows if cells]
        if all(len(cells) == 1 for cells in rows):
            for cells in rows:
                self.flow(cells[0].children, nested=nested)
            return
        header = bool(rows) and all(isinstance(cell, Tag) and cell.name == "th" for cell in rows[0])
        links = [self._links(cells) for cells in rows]
        texts = [[_inline(cell) for cell in cells] for cells in rows]
        self._outline.table(texts, header=header, depth=nested, links=links)

    def _is_block(self, element: Tag) -> bool:
        return element.name in _BLOCKS or id(element) in self._holders

    def _flush(self, nested: int) -> None:
        text = _squeeze("".join(map(_inline, self._run)))
        self._outline.add(BlockKind.PROSE, text, depth=nested, links=self._links(self._run))
        self._run.clear()

    def _links(self, elements: Iterable[PageElement]) -> list[Link]:
        return [
            Link(text=_inline(link), url=_resolved(self._base, str(link["href"])))
            for element in elements
            if isinstance(element, Tag)
            for link in ([element] if element.name == "a" else element.find_all("a"))
            if isinstance(link, Tag) and link.has_attr("href")
        ]


def _number(ordered: Tag) -> int:
    """That of the first step of an ordered list."""
    start = str(ordered.get("start") or "1")
    return int(start) if start.isdecimal() and len(start) <= _LONGEST_NUMBER else 1


def _base(soup: BeautifulSoup) -> str:
    """The address that the page says its links are relative to, if it does."""
    found = soup.find("base", href=True)
    return str(found["href"]) if isinstance(found, Tag) else ""


def _resolved(base: str, url: str) -> str:
    try:
        return urljoin(base, url.strip())
    except ValueError:
        return ""


def _anchor(heading: Tag) -> str:
    found = str(heading.get("id") or "")
    return found if len(found) <= _LONGEST_ANCHOR else ""


def _inline(element: PageElement) -> str:
    """Text as displayed on one line, `<br>` as a line end."""
    if isinstance(element, NavigableString):
        return "" if _unread(element) else re.sub(r"\s+", " ", element)
    if not isinstance(element, Tag) or _unread(element):
        return ""
    parts: list[str] = []
    ahead: list[PageElement] = [element]
    while ahead:
        inner = ahead.pop()
        if _unread(inner):
            continue
        if isinstance(inner, NavigableString):
            parts.append(re.sub(r"\s+", " ", inner))
        elif isinstance(inner, Tag):
            parts.append("\n" if inner.name == "br" else " " if inner.name in _BLOCKS else "")
            ahead.extend(reversed(inner.contents))
    return "".join(parts)


def _squeeze(text: str) -> str:
    return "\n".join(line for line in (re.sub(r" +", " ", line).strip() for line in text.split("\n")) if line)
