"""HTML -> blocks: what a reader sees of the page's own content; of code its lines as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, islice, pairwise

from lxml import etree

from adapters.files.html.notes import find_notes, join_notes
from adapters.files.html.seen import drop_around, drop_marks, drop_unseen, read_fields, read_leads
from adapters.files.html.structure import (
    MOST_ROWS,
    as_number,
    cells_of,
    header_rows,
    is_layout,
    marks,
    read_generated,
    read_panels,
    read_roles,
    read_styles,
    read_title,
    read_word_lists,
    repeated,
    rows_of,
)
from adapters.files.html.tree import (
    BLOCKS,
    BREAK,
    HEADINGS,
    Element,
    Tree,
    classes,
    holding,
    holds,
    text_of,
    written,
)
from adapters.files.html.words import MARKED, Shape, Words, read_formulas, read_marks
from adapters.files.outline import Content, Outline, given_title, label
from adapters.files.tables import MOST_COLUMNS, Cell, header_of, spread
from pipeline.values import BlockKind, replace

_CODE_CELL = re.compile(r"(?:^|[\s_-])(?:code|blob-code\S*|hljs-ln-code|rouge-code|lntd|crayon-code)(?:$|\s)")
_CODE_TABLE = re.compile(r"highlight|lntable|hljs-ln|rouge|codehilite|crayon|js-file-line|code-?table|blob-wrapper")


def code_of(element: Element) -> str:
    """The text of `element`; each block in it on lines of its own."""
    parts: list[str] = [element.text or ""]
    last = parts[0][-1:]
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        if inner is element:
            continue
        if inner.tag in BLOCKS and last not in {"", "\n", BREAK} and inner.tag not in {"td", "th"}:
            parts.append("\n")
            last = "\n"
        if text := inner.text if event == "start" else inner.tail:
            parts.append(text)
            last = text[-1]
    return "".join(parts).replace(BREAK, "\n")


def code_table(table: Element) -> list[str]:
    """The codes of a table that has lines in it beside their numbers; nothing for another table."""
    if not _CODE_TABLE.search(classes(table)) and "highlight" not in _around(table):
        return []
    cells = [cell for cell in table.iter("td") if _CODE_CELL.search(classes(cell))]
    if not cells:
        return []
    codes = [code for pre in table.iter("pre") if (code := code_of(pre)).strip()]
    return codes or ["\n".join(code_of(cell).strip("\n") for cell in cells)]


def _around(table: Element) -> str:
    parent = table.getparent()
    return classes(parent) if parent is not None else ""


PASSES: dict[str, Callable[[Tree], None]] = {
    "formulas": read_formulas,
    "style sheets": read_styles,
    "roles of elements": read_roles,
    "title": read_title,
    "lists of Word": read_word_lists,
    "lists and tables": read_generated,
    "tab panels": read_panels,
    "titles of notes": read_leads,
    "hidden text": drop_unseen,
    "navigation": drop_around,
    "numbers of lines": drop_marks,
    "names of fields": read_fields,
    "calls of notes": find_notes,
    "raised, struck and filled-in words": read_marks,
    "notes": join_notes,
}
"""What is done to the tree of a page before its blocks are read, in this order."""
_NOTHING = 40
"""Characters of a page that is nothing but navigation, which then is its content."""
_ENOUGH = 200
"""Characters that <main> or <article> must hold to be taken for the content."""
_LONGEST_ANCHOR = 400
"""Characters of an `id` that is taken into links."""
MAX_DEPTH = 140
"""Elements nested deeper are read as inline text."""
_LISTS = frozenset({"ul", "ol", "menu"})
_OPENING = frozenset({"p", "div", "summary"})
"""Of an entry of a list: without blocks in them they are its text."""
_WRAPPING = frozenset({"div", "section", "article", "details"})
"""What holds such text and more."""
_GOOGLE_LEVEL = re.compile(r"\blst-kix_\w+-([1-9])(?:\s|$)")
"""Google Docs writes the lists in a list behind each other."""


def read_html(content: bytes) -> Content:
    """The main content with headings, lists, tables and code; scripts, hidden text and navigation left out."""
    page = Page(written(content))
    return page.content(page.main())


def read_into(outline: Outline, fragment: str, *, titled: bool = False) -> None:
    """Append a fragment of HTML to `outline`. `titled`: whether its `h1` is the title."""
    Page(fragment, outline, titled=titled).read()


class Page:
    """A page, or a fragment of one, as the tree of what is seen of it. `titled`: whether a fragment's `h1` is the
    title; None for a whole page."""

    def __init__(self, text: str, outline: Outline | None = None, *, titled: bool | None = None) -> None:
        self._outline = outline or Outline()
        self._read(text)
        if titled is None and not holds(self.root, _NOTHING):
            self._read(text, but=drop_around)
        if titled is None:
            heads = self.root.findall(".//h1[@title='title']") or self.root.findall(".//h1")
            self._title = heads[0] if len(heads) == 1 else None
        else:
            self._title = self.root.find(".//h1") if titled else None

    def _read(self, text: str, but: Callable[[Tree], None] | None = None) -> None:
        tree = Tree(text)
        self.root = tree.root
        if tree.deep:
            self._outline.unread("what is nested within more than two thousand elements, and what follows it")
        named, base = self.root.find(".//title"), self.root.find(".//base[@href]")
        self._named = given_title(text_of(named)) if named is not None else ""
        self._base = (base.get("href") or "") if base is not None else ""
        for name, change in PASSES.items():
            with self._outline.damaged(f"some {name}"):
                if change is not but:
                    change(tree)
        for what in tree.unread:
            self._outline.unread(what)

    def main(self) -> Element:
        """The element that the page itself calls its content, otherwise all of it."""
        for path in (".//main", ".//*[@role='main']", ".//article"):
            held = self.root.findall(path)
            if len(held) == 1 and holds(held[0], _ENOUGH):
                return held[0]
        return self.root

    def content(self, main: Element) -> Content:
        self.read(main)
        found = self._outline.content()
        return found if found.title else replace(found, title=label(self._named))

    def read(self, main: Element | None = None) -> None:
        main = self.root if main is None else main
        shape = Shape(self._base, holding(main), holding(main, MARKED))
        _Walk(self._outline, shape, self._title).flow(main, 0, nested=0)


class _Walk:
    def __init__(self, outline: Outline, shape: Shape, title: Element | None) -> None:
        self._outline = outline
        self._shape = shape
        self._holders = shape.holders
        self._title = title

    def flow(self, holder: Element, depth: int, *, nested: int, start: int | None = None) -> None:
        """The blocks in `holder`, or of those from a child on; text between them is prose. `nested`: how many lists
        they stand in."""
        run = Words(self._shape)
        if start is None:
            run.say(holder.text)
        for element in holder[start or 0 :]:
            if self._is_block(element) and depth <= MAX_DEPTH:
                self._add(BlockKind.PROSE, run, nested)
                run = Words(self._shape)
                self._guarded(element, depth, nested)
            else:
                run.add(element)
            run.say(element.tail)
        self._add(BlockKind.PROSE, run, nested)

    def _guarded(self, element: Element, depth: int, nested: int) -> None:
        with self._outline.damaged(f"an element of the page (<{element.tag}>)"):
            self._block(element, depth, nested=nested)

    def _block(self, element: Element, depth: int, *, nested: int) -> None:
        name = element.tag
        if name == "p" and element not in self._holders:
            self._add(BlockKind.PROSE, self._words(element), nested)
        elif name in HEADINGS:
            words = self._words(element)
            self._outline.anchor = _anchor(element)
            level = int(name[1])
            self._outline.heading(level, words.text, title=element is self._title, code=words.code)
            self._outline.anchor = ""
        elif name in _LISTS:
            self._list(element, depth, nested)
        elif name == "table":
            self._table(element, depth, nested)
        elif name == "pre":
            self._outline.add(BlockKind.CODE, code_of(element), depth=nested)
        elif name == "dt":
            words = self._words(element)
            text = words.text.strip().rstrip(":") + ":"
            self._outline.add(BlockKind.PROSE, text, depth=nested, links=words.links, code=words.code)
        elif name == "dd":
            self._item(element, depth, nested, number=None)
        else:
            self.flow(element, depth + 1, nested=nested)

    def _list(self, element: Element, depth: int, nested: int) -> None:
        level = _GOOGLE_LEVEL.search(element.get("class") or "")
        nested += int(level[1]) if level else 0
        counts = element.tag == "ol" and not nested
        number = as_number(element.get("start")) if counts else 0
        loose = Words(self._shape)
        loose.say(element.text)
        for item in element:
            block = self._is_block(item) and depth <= MAX_DEPTH
            if item.tag == "li" or block:
                self._add(BlockKind.PROSE, loose, nested + 1)
                loose = Words(self._shape)
            if item.tag == "li":
                number = as_number(item.get("value"), number) if counts else 0
                self._item(item, depth, nested, number=number if counts else None)
                number += 1
            elif block:
                self._guarded(item, depth + 1, nested + 1)
            else:
                loose.add(item)
            loose.say(item.tail)
        self._add(BlockKind.PROSE, loose, nested + 1)

    def _item(self, item: Element, depth: int, nested: int, *, number: int | None) -> None:
        """Inline content and paragraphs that open an item are its text; what else it holds follows it, a level deeper
        if there is such text. `number`: of a step."""
        words = Words(self._shape)
        words.say(item.text)
        end = 0
        for child in item:
            paragraph = child.tag in _OPENING and child not in self._holders
            if not paragraph and self._is_block(child):
                break
            words.say(BREAK if paragraph else "")
            words.add(child)
            words.say(BREAK if paragraph else "")
            words.say(child.tail)
            end += 1
        kind = BlockKind.ITEM if number is None else BlockKind.STEP
        said = self._add(kind, words, nested, number or 0)
        if end < len(item) and not said and item[end].tag in _WRAPPING and depth <= MAX_DEPTH:
            wrapper, end, said = item[end], end + 1, True
            self._item(wrapper, depth + 1, nested, number=number)
            words = Words(self._shape)
            words.say(wrapper.tail)
            self._add(BlockKind.PROSE, words, nested + 1)
        if end < len(item):
            self.flow(item, depth + 1, nested=nested + (said or item.tag == "dd"), start=end)

    def _table(self, table: Element, depth: int, nested: int) -> None:
        for caption in table.iterchildren("caption"):
            self.flow(caption, depth + 1, nested=nested)
        if code := code_table(table):
            for text in code:
                self._outline.add(BlockKind.CODE, text, depth=nested)
            return
        rows = list(rows_of(table))
        if is_layout(table, rows):
            for row in rows:
                for cell in cells_of(row):
                    self.flow(cell, depth + 1, nested=nested)
            return
        for stray in table.iterchildren("p", "div"):
            self._guarded(stray, depth + 1, nested)
        grid = spread(map(self._cell, cells_of(row)) for row in rows)
        head = list(islice(grid, header_rows(rows)))
        self._outline.table([], header=0)
        self._outline.row(
            BlockKind.HEADER,
            header_of([[cell.text for cell in row] for row in head]),
            depth=nested,
            **marks(chain(*head)),
        )
        for row, below in pairwise(chain(grid, [[]])):
            if not repeated(row, below):
                self._outline.row(BlockKind.ROW, [cell.text for cell in row], depth=nested, **marks(row))

    def _cell(self, cell: Element) -> Cell:
        if not len(cell) and not cell.keys():
            return Cell(" ".join((cell.text or "").split()))
        words = self._words(cell)
        columns, rows = cell.get("colspan"), cell.get("rowspan")
        across = min(as_number(columns), MOST_COLUMNS) if columns else 1
        down = (min(as_number(rows), MOST_ROWS) or MOST_ROWS) if rows else 1
        return Cell(words.text, across or 1, down, tuple(words.links), tuple(words.code))

    def _words(self, element: Element) -> Words:
        words = Words(self._shape)
        words.add(element)
        return words

    def _add(self, kind: BlockKind, words: Words, nested: int, number: int = 0) -> bool:
        """Whether there are such words."""
        if text := words.text:
            self._outline.add(kind, text, depth=nested, number=number, links=words.links, code=words.code)
        return bool(text)

    def _is_block(self, element: Element) -> bool:
        return element.tag in BLOCKS or element in self._holders


def _anchor(heading: Element) -> str:
    found = heading.get("id") or ""
    return found if len(found) <= _LONGEST_ANCHOR else ""
