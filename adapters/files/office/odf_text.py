"""What the documents of OpenDocument have in common: paragraphs, lists, tables, notes, styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from adapters.files.inline import noted
from adapters.files.office.docx_lists import written
from adapters.files.office.docx_symbols import plain
from adapters.files.office.elements import attribute, local, number
from adapters.files.office.package import Package
from adapters.files.office.slide_text import FORMULA, NOTE, Piece, in_cell, shown
from adapters.files.outline import Outline
from adapters.files.regions import table as add_table
from adapters.files.tables import MOST_COLUMNS, Cell, filled
from adapters.files.text.html_marks import formula_text
from pipeline.values import BlockKind, Link

_CODE = frozenset({"Preformatted_20_Text", "Source_20_Code", "Source_20_Text"})
_HEADING = re.compile(r"Heading_20_[1-6]")
_OUTLINE = "Outline"
"""The style of the numbers of headings."""
_LIST_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}list-style-name"
_PARAGRAPH = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_TEXT_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}style-name"
_TABLE_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}style-name"
_BULLET = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}bullet-char"
_STEP = re.compile(r"([1-9]\d{0,8})[.)]?")
_WRITTEN = {
    "i": "lowerRoman",
    "I": "upperRoman",
    "a": "lowerLetter",
    "A": "upperLetter",
    "①": "decimalEnclosedCircle",
    "一": "chineseCounting",
}
SHAPES = frozenset("frame custom-shape g rect text-box a ellipse line connector polygon path".split())
_UNSEEN = frozenset(
    """tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index
    object-index user-index bibliography sequence-decls variable-decls user-field-decls forms note hidden-text
    hidden-paragraph ruby-text desc title event-listeners""".split()
)
_MOST_STYLES = 20
"""Styles that a style may stand on."""
_TICKS = frozenset("☐☑☒✓✔✗✘□")
"""Bullets that say something."""
_MOST_LEVELS = 10
"""Levels of a list whose numbers are shown together."""
_MOST_REPEATS = 100
"""Times that a row with text may be repeated."""


class _Look(NamedTuple):
    shift: int = 0
    gone: bool = False
    """Struck or hidden."""
    font: str = ""


_PLAIN = _Look()


class OdfText:
    """Fills `outline` from the elements of `document`."""

    def __init__(self, outline: Outline, package: Package | None, document: etree._Element | None) -> None:
        self.outline = outline
        self.runs_on = False
        """Whether numbers go on in a list that follows another, as on slides."""
        self._package = package
        self._document = document
        self._styles: dict[tuple[str, str], etree._Element] = {}
        self._looks: dict[tuple[str, str], tuple[int, bool | None, str]] = {}
        self._controls: dict[str, etree._Element] = {}
        self._base = _PLAIN
        self._in_cell = False
        self._counts: dict[str, dict[int, int]] = {}
        """By the name of a list, or of its style: the last number of each level."""
        self._last: dict[int, int] = {}
        self._open: list[int] = []
        """Levels of the entries in which the next one may stand."""
        for part in (package.xml("styles.xml") if package else None, document):
            if part is not None:
                self.learn(part)

    def learn(self, part: etree._Element) -> None:
        """Know the styles in `part`."""
        self._looks.clear()
        for style in part.iter("{*}style", "{*}list-style", "{*}outline-style"):
            name = _OUTLINE if local(style) == "outline-style" else attribute(style, "name")
            self._styles[attribute(style, "family") or "list", name] = style

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
            if local(element) != "list":
                self._open.clear()
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
                case name if name in SHAPES:
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
        return self._package.xml(f"{part}/content.xml") if part and self._package else held

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
        self,
        paragraph: etree._Element,
        depth: int,
        kind: BlockKind = BlockKind.PROSE,
        step: int = 0,
        label: str = "",
    ) -> None:
        text, links = self.inline(paragraph)
        text = f"{label} {text}" if label else text
        names = self._names(paragraph)
        level = next((int(name[-1]) for name in names if _HEADING.fullmatch(name)), 0)
        if kind is BlockKind.PROSE and ("Title" in names or level):
            self._head(paragraph, level or 1, title="Title" in names)
        else:
            self.outline.add(kind, text, depth=depth, number=step, links=links)
        for frame in paragraph.iter("{*}frame", "{*}custom-shape"):
            within = any(local(above) in {"frame", "note"} for above in _until(frame, paragraph))
            if not within and not self._formula(frame):
                self.shape(frame, depth)

    def _heading(self, heading: etree._Element, label: str = "") -> None:
        """`label`: the number of the entry of a list in which it stands."""
        level = number(attribute(heading, "outline-level"))
        named = next(
            (own for style in self._chain(heading, "paragraph") if (own := style.get(_LIST_STYLE)) is not None), None
        )
        if not label and named is None and attribute(heading, "is-list-header") != "true":
            label = self._label(_OUTLINE, self._counts.setdefault(_OUTLINE, {}), level) or ""
        self._head(heading, level, label)

    def _head(self, paragraph: etree._Element, level: int, label: str = "", *, title: bool = False) -> None:
        """A heading, and its notes below it."""
        pieces = list(self._runs(paragraph))
        text, _ = shown(piece for piece in pieces if piece[0] != NOTE)
        self.outline.heading(level, f"{label} {text}".strip(), title=title)
        for kind, _, said, _ in pieces:
            self.outline.add(BlockKind.PROSE, said if kind == NOTE else "")

    def _list(self, parent: etree._Element, base: int, style: str) -> None:
        """A list of which no other is a part, `base` entries of others deep."""
        style = attribute(parent, "style-name") or style
        before = parent.getprevious()
        counts: dict[int, int] = {}
        if self.runs_on and before is not None and local(before) == "list":
            counts = self._last
        elif known := attribute(parent, "continue-list") or (
            attribute(parent, "continue-numbering") == "true" and style
        ):
            counts = self._counts.get(known, {})
        self._last = self._counts[style] = self._counts[attribute(parent, "id")] = counts
        self._entries(parent, base, 1, style)

    def _entries(self, parent: etree._Element, base: int, level: int, style: str) -> None:
        for entry in parent.iterchildren("*"):
            if started := attribute(entry, "start-value"):
                self._last[level] = number(started) - 1
            label: str | None = None
            if local(entry) != "list-item":
                label = None if self._last and self._open else ""
            opened = False
            for part in entry.iterchildren("*"):
                match local(part):
                    case "p" | "h" if not opened:
                        opened = True
                        if local(entry) == "list-item":
                            label = self._label(style, self._last, level)
                        if local(part) == "h":
                            self._open.clear()
                            self._heading(part, label or "")
                        else:
                            self._entry(part, base, level, label)
                    case "p" | "table" as name:
                        depth = base + len(self._open)
                        self.table(part, depth) if name == "table" else self._paragraph(part, depth)
                    case "list":
                        self._entries(part, base, level + 1, attribute(part, "style-name") or style)

    def _entry(self, paragraph: etree._Element, base: int, level: int, label: str | None) -> None:
        """An entry of a list: a step where it has a number in figures; a label of another kind stands in its text. It
        stands in the entries of lower levels before it; without any mark (None) it goes on in them."""
        while self._open and self._open[-1] >= level + (label is None):
            self._open.pop()
        depth = base + len(self._open)
        if label is None or not self.inline(paragraph)[0].strip():
            self._paragraph(paragraph, depth)
            self.outline.add(BlockKind.PROSE, (label or "") if self._in_cell else "")
            return
        self._open.append(level)
        if step := _STEP.fullmatch(label):
            self._paragraph(paragraph, depth, BlockKind.STEP, int(step[1]))
        else:
            self._paragraph(paragraph, depth, BlockKind.ITEM, label=label)

    def _label(self, style: str, counts: dict[int, int], level: int) -> str | None:
        """Count an entry of that level, and say the number that is shown before it: none before a bullet, None where
        nothing is shown."""
        found = self._styles.get(("list", style))
        marks = {number(attribute(mark, "level")): mark for mark in (() if found is None else found)}
        mark = marks.get(level)
        if mark is None or local(mark) not in {"list-level-style-number", "outline-level-style"}:
            fonts = (attribute(one, "font-name") for one in (() if mark is None else mark))
            bullet = "-" if mark is None else plain(mark.get(_BULLET, "-"), next(filter(None, fonts), ""))
            return bullet if bullet in _TICKS else None if bullet.isspace() else ""
        if not attribute(mark, "num-format"):
            return attribute(mark, "num-prefix").strip() or None
        counts[level] = counts.get(level, number(attribute(mark, "start-value")) - 1) + 1
        for below in [one for one in counts if one > level]:
            del counts[below]
        shown = range(level - number(attribute(mark, "display-levels"), most=_MOST_LEVELS) + 1, level + 1)
        shapes = {one: attribute(marks[one], "num-format") for one in shown if one in marks}
        numbers = [
            written(counts.get(one, 1), _WRITTEN.get(shape[0], "decimal")) for one, shape in shapes.items() if shape
        ]
        return f"{attribute(mark, 'num-prefix')}{'.'.join(numbers)}{attribute(mark, 'num-suffix')}".strip()

    def table(self, table: etree._Element, depth: int = 0) -> None:
        """Append a table of a text or a slide, under the rows that it names its header."""
        head = sum(1 for rows in table.iterfind("{*}table-header-rows") for _ in rows.iterfind("{*}table-row"))
        template = attribute(table, "use-first-row-styles")
        marked = head or (int(template == "true") if template else None)
        add_table(self.outline, filled(self._rows(table)), marked, depth=depth)

    def _is_strong(self, cell: etree._Element) -> bool:
        """Whether it is coloured, or all that it says is bold."""
        texts = [text for text in cell.iter("{*}p") if self.words(text)]
        bold = bool(texts) and all(
            self._names(text) & {"Table_20_Heading"}
            or self.style(text, "paragraph", "font-weight") == "bold"
            or not (text.text or any(self.style(part, "text", "font-weight") != "bold" or part.tail for part in text))
            for text in texts
        )
        return bold or self.style(cell, "table-cell", "background-color") not in {"", "transparent", "#ffffff"}

    def _rows(self, table: etree._Element) -> Iterator[list[Cell]]:
        """Each row's cells; of rows that repeat some, and an empty one once."""
        for row in table.iter("{*}table-row"):
            if next(row.iterancestors("{*}table")) is table:
                cells = list(self._cells(row))
                times = number(attribute(row, "number-rows-repeated"), most=_MOST_REPEATS)
                for _ in range(times if any(cell.text for cell in cells) else 1):
                    yield cells

    def _cells(self, row: etree._Element) -> Iterator[Cell]:
        """Those that stand there themselves."""
        for cell in row.iterchildren("{*}table-cell"):
            text, links = self.cell(cell)
            spans = number(attribute(cell, "number-columns-spanned")), number(attribute(cell, "number-rows-spanned"))
            yield from [Cell(text, *spans, links, strong=bool(text) and self._is_strong(cell))] * number(
                attribute(cell, "number-columns-repeated"), most=MOST_COLUMNS
            )

    def cell(self, cell: etree._Element) -> tuple[str, tuple[Link, ...]]:
        """All that a cell says, a line a paragraph; of a table in it the rows, one behind the other."""
        look = self._looked("table-cell", cell.get(_TABLE_STYLE), _PLAIN)
        if len(cell) == 1 and not len(cell[0]) and cell[0].tag == _PARAGRAPH:
            look = self._looked("paragraph", cell[0].get(_TEXT_STYLE), look)
            text = cell[0].text or ""
            return "" if look.gone else text if text.isascii() else plain(text, look.font), ()
        kept = self.outline, self._open, self._base, self._in_cell
        self.outline, self._open, self._base, self._in_cell = Outline(), [], look, True
        self.flow(cell)
        found = self.outline.content()
        self.outline, self._open, self._base, self._in_cell = kept
        text, links = in_cell(found)
        for what in found.unread:
            self.outline.unread(what)
        for note in cell.iterfind("{*}annotation"):
            text = noted(text, " ".join(self.inline(part)[0] for part in note.iter("{*}p")))
        return text, links

    def lines(self, element: etree._Element) -> list[str]:
        """The paragraphs in `element` that say something."""
        paragraphs = [element] if local(element) in {"p", "h"} else element.iter("{*}p", "{*}h")
        return [text for one in paragraphs if (text := " ".join(self.inline(one)[0].split()))]

    def words(self, element: etree._Element) -> str:
        """All text in `element` on one line."""
        return " ".join(self.lines(element))

    def inline(self, paragraph: etree._Element) -> tuple[str, list[Link]]:
        """The text of a paragraph with its notes, and the links in it; struck and hidden text is left out."""
        return shown(self._runs(paragraph))

    def _runs(self, paragraph: etree._Element) -> Iterator[Piece]:
        if not any(attribute(one, "is-hidden") == "true" for one in paragraph.iterchildren("{*}hidden-paragraph")):
            look = self._looked("paragraph", paragraph.get(_TEXT_STYLE), self._base)
            yield from self._pieces(paragraph, look, "")

    def _pieces(self, parent: etree._Element, look: _Look, url: str) -> Iterator[Piece]:
        if parent.text:
            yield look.shift, look.gone, plain(parent.text, look.font), url
        for child in parent.iterchildren("*"):
            said = ""
            kind = look.shift
            match local(child):
                case "s":
                    said = " " * min(number(attribute(child, "c")), 100)
                case "tab":
                    said = "\t"
                case "line-break":
                    said = "\n"
                case "note":
                    body = child.find("{*}note-body")
                    kind, said = NOTE, "" if body is None else self.words(body)
                case "a":
                    yield from self._pieces(child, look, attribute(child, "href"))
                case "span":
                    yield from self._pieces(child, self._looked("text", child.get(_TEXT_STYLE), look), url)
                case "ruby":
                    yield from self._pieces(child, look, url)
                    reading = child.findtext("{*}ruby-text") or ""
                    said = f" ({reading})" if reading else ""
                case "frame":
                    kind, said = FORMULA, self._formula(child)
                case "control":
                    said = self._control(child)
                case "fieldmark":
                    said = _chosen(child)
                case name if name not in _UNSEEN and name != "custom-shape":
                    yield from self._pieces(child, look, url)
            if said:
                yield kind, look.gone, said, url
            if child.tail:
                yield look.shift, look.gone, plain(child.tail, look.font), url

    def _looked(self, family: str, name: str | None, above: _Look) -> _Look:
        """How text of that style looks within other text."""
        if not name:
            return above
        if (own := self._looks.get((family, name))) is None:
            holder = etree.Element("style", {"style-name": name})
            place = self.style(holder, family, "text-position")
            names = "text-line-through-style", "text-line-through-type"
            struck = next((found for one in names if (found := self.style(holder, family, one))), "")
            shift = 0 if not place else -1 if place.startswith(("sub", "-")) else int(not place.startswith("0"))
            hidden = self.style(holder, family, "display") == "none"
            own = (
                shift,
                True if hidden else struck != "none" if struck else None,
                self.style(holder, family, "font-name"),
            )
            self._looks[family, name] = own
        shift, gone, font = own
        return _Look(shift or above.shift, above.gone if gone is None else gone, font or above.font)

    def _control(self, shape: etree._Element) -> str:
        """What a field of a form says."""
        if not self._controls and self._document is not None:
            forms = self._document.iter("{*}forms")
            self._controls = {attribute(one, "id"): one for form in forms for one in form.iter("*")}
        found = self._controls.get(attribute(shape, "control"))
        if found is None:
            return ""
        if local(found) in {"checkbox", "radio"}:
            on = (attribute(found, "current-state") or attribute(found, "state")) == "checked" or (
                attribute(found, "current-selected") == "true"
            )
            return f"{'☒' if on else '☐'} {attribute(found, 'label')}"
        chosen = [attribute(one, "label") for one in found.iter("{*}option") if attribute(one, "current-selected")]
        return ", ".join(chosen) or attribute(found, "current-value") or attribute(found, "value")


def _chosen(mark: etree._Element) -> str:
    """What is ticked or chosen in a form field of Word."""
    given = [(attribute(one, "name"), attribute(one, "value")) for one in mark.iterchildren("{*}param")]
    kind = attribute(mark, "type").rpartition(".")[2]
    if kind == "FORMCHECKBOX":
        return "☒" if ("Checkbox_Checked", "true") in given else "☐"
    entries = [value for name, value in given if name == "Dropdown_ListEntry"]
    place = next((number(value, 0) for name, value in given if name == "Dropdown_Selected"), 0)
    return entries[place] if kind == "FORMDROPDOWN" and place < len(entries) else ""


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
