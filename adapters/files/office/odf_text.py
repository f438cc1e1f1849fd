"""What the documents of OpenDocument have in common: paragraphs, lists, tables, notes, styles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from adapters.files.inline import noted
from adapters.files.office.elements import attribute, local, number
from adapters.files.office.package import Package
from adapters.files.office.slide_text import NOTE, Piece, shown
from adapters.files.outline import Outline
from adapters.files.tables import MOST_COLUMNS, Cell, filled, header_rows
from adapters.files.text.html_marks import formula_text
from pipeline.values import BlockKind, Link

_CODE = frozenset({"Preformatted_20_Text", "Source_20_Code", "Source_20_Text"})
_HEADING = re.compile(r"Heading_20_[1-6]")
_SHAPES = frozenset("frame custom-shape g rect text-box a ellipse line connector polygon path".split())
_UNSEEN = frozenset(
    """tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index
    object-index user-index bibliography sequence-decls variable-decls user-field-decls forms note hidden-text
    hidden-paragraph ruby-text desc title event-listeners""".split()
)
_MOST_STYLES = 20
"""Styles that a style may stand on."""
_MOST_REPEATS = 100
"""Times that a row with text may be repeated."""


class OdfText:
    """Fills `outline` from the elements of `document`."""

    def __init__(self, outline: Outline, package: Package, document: etree._Element | None) -> None:
        self.outline = outline
        self.runs_on = False
        """Whether numbers go on in a list that follows another, as on slides."""
        self._next: dict[int, int] = {}
        self._package = package
        self._styles: dict[tuple[str, str], etree._Element] = {}
        for part in (package.xml("styles.xml"), document):
            if part is not None:
                self.learn(part)

    def learn(self, part: etree._Element) -> None:
        """Know the styles in `part`."""
        for style in part.iter("{*}style", "{*}list-style"):
            self._styles[attribute(style, "family") or "list", attribute(style, "name")] = style

    def style(self, element: etree._Element, family: str, name: str) -> str:
        """A property by the style of `element`, or by the styles that it stands on; empty where none says it."""
        for style in self._chain(element, family):
            for properties in style.iterchildren("*"):
                if local(properties).endswith("-properties") and (found := attribute(properties, name)):
                    return found
        return ""

    def _chain(self, element: etree._Element, family: str) -> Iterator[etree._Element]:
        key = attribute(element, "style-name")
        for _ in range(_MOST_STYLES):
            style = self._styles.get((family, key))
            if style is None:
                return
            yield style
            key = attribute(style, "parent-style-name")

    def flow(self, parent: etree._Element, depth: int = 0) -> None:
        """Append what stands in `parent`, in `depth` entries of lists."""
        code: list[str] = []
        for element in parent.iterchildren("*"):
            if local(element) == "p" and self._names(element) & _CODE:
                code.append(self.inline(element)[0])
                continue
            self.outline.add(BlockKind.CODE, "\n".join(code), depth=depth)
            code.clear()
            match local(element):
                case "p":
                    self._paragraph(element, depth)
                case "h":
                    self._heading(element)
                case "list":
                    self._list(element, depth, "")
                case "table":
                    self.table(element, depth)
                case "section" | "index-body" if attribute(element, "display") != "none":
                    self.flow(element, depth)
                case name if name in _SHAPES:
                    self.shape(element, depth)
        self.outline.add(BlockKind.CODE, "\n".join(code), depth=depth)

    def _names(self, paragraph: etree._Element) -> set[str]:
        """The styles of a paragraph."""
        own = attribute(paragraph, "style-name")
        return {own, *(attribute(style, "name") for style in self._chain(paragraph, "paragraph"))}

    def shape(self, shape: etree._Element, depth: int = 0) -> None:
        """Append the text, the table or the chart of a shape."""
        held = shape.find("{*}object")
        if attribute(shape, "display") == "none":
            return
        if held is not None:
            if said := self._formula(shape):
                self.outline.add(BlockKind.PROSE, said, depth=depth)
            else:
                self._embedded(held)
        elif local(shape) == "frame":  # of several kinds of content the first is meant
            first = next((part for part in shape.iterchildren("*") if local(part) not in _UNSEEN), None)
            if first is not None:
                self.table(first, depth) if local(first) == "table" else self.flow(first, depth)
        else:
            self.flow(shape, depth)

    def _object(self, held: etree._Element) -> etree._Element | None:
        """What is embedded, where it can be read."""
        part = attribute(held, "href").removeprefix("./").rstrip("/")
        return self._package.xml(f"{part}/content.xml") if part else held

    def _formula(self, frame: etree._Element) -> str:
        """The formula that a frame holds, if it holds one."""
        held = frame.find("{*}object")
        inner = None if held is None else self._object(held)
        found = None if inner is None else next(inner.iter("{*}math"), None)
        return "" if found is None else formula_text(found)

    def _embedded(self, held: etree._Element) -> None:
        """A chart by the table that is stored with it."""
        inner = self._object(held)
        chart = None if inner is None else next(inner.iterfind(".//{*}chart/{*}chart"), None)
        if inner is None or chart is None:
            self.outline.unread("an object of another program")
            return
        title = chart.find("{*}title")
        self.outline.add(BlockKind.PROSE, "" if title is None else self.words(title))
        rows = [[_stored(cell) for cell in row.iterfind("{*}table-cell")] for row in chart.iter("{*}table-row")]
        self.outline.table(rows, header=1)

    def _paragraph(
        self, paragraph: etree._Element, depth: int, kind: BlockKind = BlockKind.PROSE, step: int = 0
    ) -> None:
        text, links = self.inline(paragraph)
        names = self._names(paragraph)
        level = next((int(name[-1]) for name in names if _HEADING.fullmatch(name)), 0)
        if kind is BlockKind.PROSE and ("Title" in names or level):
            self.outline.heading(level or 1, text, title="Title" in names)
        else:
            self.outline.add(kind, text, depth=depth, number=step, links=links)
        for frame in paragraph.iter("{*}frame", "{*}custom-shape"):
            within = any(local(above) in {"frame", "note"} for above in _until(frame, paragraph))
            if not within and not self._formula(frame):
                self.shape(frame, depth)

    def _heading(self, heading: etree._Element) -> None:
        level = number(attribute(heading, "outline-level"))
        self.outline.heading(level, self.inline(heading)[0])

    def _list(self, parent: etree._Element, depth: int, style: str) -> None:
        style = attribute(parent, "style-name") or style
        kind, step = self._mark(style, depth + 1)
        before = parent.getprevious()
        goes_on = self.runs_on and before is not None and local(before) == "list"
        if goes_on or attribute(parent, "continue-numbering") == "true" or attribute(parent, "continue-list"):
            step = max(step, self._next.get(depth, step))
        for entry in parent.iterchildren("*"):
            step = number(attribute(entry, "start-value"), step)
            opened = local(entry) != "list-item"
            for part in entry.iterchildren("*"):
                match local(part):
                    case "p" if not opened:
                        self._paragraph(part, depth, kind, step if kind is BlockKind.STEP else 0)
                        opened = bool(self.inline(part)[0].strip())
                        step += opened
                    case "p":
                        self._paragraph(part, depth + 1)
                    case "h":
                        self._heading(part)
                    case "list":
                        self._list(part, depth + 1, style)
                    case "table":
                        self.table(part, depth + 1)
        self._next[depth] = step

    def _mark(self, style: str, level: int) -> tuple[BlockKind, int]:
        for mark in self._styles.get(("list", style), ()):
            if attribute(mark, "level") == str(level):
                steps = local(mark) == "list-level-style-number" and attribute(mark, "num-format")
                return BlockKind.STEP if steps else BlockKind.ITEM, number(attribute(mark, "start-value"))
        return BlockKind.ITEM, 1

    def table(self, table: etree._Element, depth: int = 0) -> None:
        """Append a table of a text or a slide, under the rows that it names its header."""
        rows = list(self._rows(table))
        named = sum(1 for head in table.iterfind("{*}table-header-rows") for _ in head.iterfind("{*}table-row"))
        template = attribute(table, "use-first-row-styles")
        named = named or header_rows(rows, template == "true" if template else self._bold(table) or None)
        width = max(map(len, grid := filled(rows)), default=0)
        texts = [[cell.text for cell in row] + [""] * (width - len(row)) for row in grid]
        links = [[link for cell in row for link in cell.links] for row in rows]
        self.outline.table(texts, header=named, depth=depth, links=links)

    def _bold(self, table: etree._Element) -> bool:
        """Whether all text of a table's first row is."""
        first = next(table.iter("{*}table-row"), None)
        texts = [] if first is None else [text for text in first.iter("{*}p") if self.words(text)]
        return bool(texts) and all(
            self._names(text) & {"Table_20_Heading"} or self.style(text, "paragraph", "font-weight") == "bold"
            for text in texts
        )

    def _rows(self, table: etree._Element) -> Iterator[list[Cell]]:
        """Each row's cells; of rows that repeat some, and an empty one once."""
        for row in table.iter("{*}table-row"):
            if next(row.iterancestors("{*}table")) is table:
                cells = list(self._cells(row))
                times = number(attribute(row, "number-rows-repeated"), most=_MOST_REPEATS)
                for _ in range(times if any(cell.text for cell in cells) else 1):
                    yield cells

    def _cells(self, row: etree._Element) -> Iterator[Cell]:
        """Those that stand there themselves; empty ones at the end are left out."""
        waiting: list[Cell] = []
        for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
            times = number(attribute(cell, "number-columns-repeated"))
            if local(cell) == "covered-table-cell":
                continue
            text, links = self.cell(cell)
            spans = number(attribute(cell, "number-columns-spanned")), number(attribute(cell, "number-rows-spanned"))
            waiting += [Cell(text, *spans, links)] * min(times, MOST_COLUMNS)
            if text or spans != (1, 1):
                yield from waiting
                waiting.clear()

    def cell(self, cell: etree._Element) -> tuple[str, tuple[Link, ...]]:
        if len(cell) == 1 and not len(cell[0]) and local(cell[0]) == "p":
            struck = bool(cell[0].attrib) and self._struck(cell[0], "paragraph")
            return "" if struck else cell[0].text or "", ()
        parts: list[str] = []
        links: list[Link] = []
        for paragraph in cell.iter("{*}p", "{*}h"):
            if not any(local(above) in {"annotation", "note"} for above in _until(paragraph, cell)):
                text, own = self.inline(paragraph)
                parts.append(text)
                links += own
        text = " ".join(filter(None, parts))
        for note in cell.iterfind("{*}annotation"):
            text = noted(text, " ".join(self.inline(part)[0] for part in note.iter("{*}p")))
        return text, tuple(links)

    def words(self, element: etree._Element) -> str:
        """All text in `element` on one line."""
        paragraphs = [element] if local(element) in {"p", "h"} else element.iter("{*}p", "{*}h")
        return " ".join(" ".join(self.inline(one)[0] for one in paragraphs).split())

    def inline(self, paragraph: etree._Element) -> tuple[str, list[Link]]:
        """The text of a paragraph with its notes, and the links in it; struck text is left out."""
        struck = self._struck(paragraph, "paragraph")
        return shown(self._pieces(paragraph, 0, struck, ""))

    def _pieces(self, parent: etree._Element, shift: int, struck: bool, url: str) -> Iterator[Piece]:
        if parent.text:
            yield shift, struck, parent.text, url
        for child in parent.iterchildren("*"):
            match local(child):
                case "s":
                    yield shift, struck, " " * min(number(attribute(child, "c")), 100), url
                case "tab":
                    yield shift, struck, "\t", url
                case "line-break":
                    yield shift, struck, "\n", url
                case "note":
                    body = child.find("{*}note-body")
                    said = "" if body is None else self.words(body)
                    yield NOTE, struck, said, url
                case "a":
                    yield from self._pieces(child, shift, struck, attribute(child, "href"))
                case "span":
                    own = self.style(child, "text", "text-position")
                    turned = 0 if not own else -1 if own.startswith(("sub", "-")) else int(not own.startswith("0"))
                    yield from self._pieces(child, turned or shift, struck or self._struck(child, "text"), url)
                case "ruby":
                    reading = child.findtext("{*}ruby-text") or ""
                    yield from self._pieces(child, shift, struck, url)
                    yield shift, struck, f" ({reading})" if reading else "", url
                case "frame":
                    yield shift, struck, self._formula(child), url
                case name if name not in _UNSEEN and name != "custom-shape":
                    yield from self._pieces(child, shift, struck, url)
            if child.tail:
                yield shift, struck, child.tail, url

    def _struck(self, element: etree._Element, family: str) -> bool:
        return self.style(element, family, "text-line-through-style") not in {"", "none"}


def _until(element: etree._Element, end: etree._Element) -> Iterator[etree._Element]:
    """What `element` stands in, up to `end`."""
    for above in element.iterancestors():
        if above is end:
            return
        yield above


def _stored(cell: etree._Element) -> str:
    """A cell of the table behind a chart: categories of several levels stand there whole, then one by one."""
    text = cell.findtext("{*}p") or ""
    return "" if text == "NaN" else text
