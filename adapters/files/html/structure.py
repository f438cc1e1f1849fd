"""Lists, tables, headings, code and tab panels that a page makes of other elements, as such."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from lxml import etree

from adapters.files.html.tree import BLOCKS, HEADINGS, Element, Tree, allowed, classes, gone, paragraph, text_of
from adapters.files.tables import Cell

# --- Lists, tables, headings, code and tab panels made of other elements --------------------------

_TAGS = {
    "table": "table",
    "grid": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
    "listitem": "li",
}
"""By role."""
_PLAIN = frozenset({"div", "span", "p", "ul", "li"})
"""Elements whose role says what they are."""
_STYLE = re.compile(r"\.([\w-]{1,60})\s*\{([^{}]{0,2000})\}")
_TELLING = re.compile(
    r"text-decoration[^;]*line-through|vertical-align\s*:\s*(?:super|sub)\b|font-weight\s*:\s*(?:bold|[6-9]00)",
    re.IGNORECASE,
)
_MOST_STYLE = 500_000
"""Characters of style sheets in a page that are looked at."""
_GAP = re.compile(r"font:\s*7\.0pt|mso-list:\s*Ignore", re.IGNORECASE)
"""Between a bullet of Word and what it is of."""
_BULLET = re.compile(r"\(?[\w.]{1,8}[.)]|\S")
_HOLDS = frozenset("body html div section article main header form center".split())
_OPENING = 100
"""Blocks of a page among which its title is."""
_TABS, _BLOCKS = re.compile("^tabs$"), re.compile("^blocks$")
"""Of Spectre, and of Zensical."""


def read_styles(tree: Tree) -> None:
    """Take what strikes and raises words from style sheets to the elements that they name by their class."""
    sheets = "".join(sheet.text or "" for sheet in tree.root.iter("style"))[:_MOST_STYLE]
    found = ((rule[1], _TELLING.search(rule[2])) for rule in _STYLE.finditer(sheets))
    named = {name: telling[0] for name, telling in found if telling}
    for element in tree.having("class") if named else ():
        if told := ";".join(named[name] for name in element.get("class").split() if name in named):
            tree.give(element, "style", f"{element.get('style') or ''};{told}")


def read_roles(tree: Tree) -> None:
    for element in tree.having("role"):
        role, level = element.get("role"), element.get("aria-level")
        if role == "heading" and element.tag in _PLAIN:
            element.tag = f"h{level}" if level in {*"123456"} else "h2"
        elif element.tag in _PLAIN or (role == "columnheader" and element.tag == "td"):
            element.tag = _TAGS.get(role, element.tag)
            if role == "listitem" and element.getparent().get("role") == "list":
                element.getparent().tag = "ul"


def read_title(tree: Tree) -> None:
    """A first paragraph that is the title, as a heading."""
    opening = islice(tree.root.iter(*BLOCKS), _OPENING)
    first = next((one for one in opening if one.tag not in _HOLDS and text_of(one)), None)
    named = tree.root.find(".//title")
    if first is None or first.tag != "p":
        return
    if {"title", "msotitle"} & {*classes(first).split()} or (named is not None and text_of(first) == text_of(named)):
        first.tag = "h1"
        first.set("title", "title")


def read_word_lists(tree: Tree) -> None:
    """Paragraphs that Word numbers or marks with a bullet, as entries."""
    for entry in tree.with_class("msolistparagraph"):
        gap = next((span for span in entry.iter("span") if _GAP.search(span.get("style") or "")), None)
        if entry.tag != "p" or gap is None:
            continue
        mark = gap if gap.getparent() is entry else gap.getparent()
        if not _BULLET.fullmatch(text_of(mark)):
            continue
        number = re.match(r"\s*([0-9]{1,4})[.)]", mark.text or "")
        level = re.search(r"level([1-9])|margin-left:\s*([0-9]{1,3})", entry.get("style") or "")
        depth = 0 if not level else int(level[1]) - 1 if level[1] else max(int(level[2]) // 36 - 1, 0)
        around = etree.Element("ol" if number else "ul", {"class": f"lst-kix_word-{min(depth, 9)}"})
        if number:
            around.set("start", number[1])
        gone(mark)
        entry.addprevious(around)
        around.append(entry)
        around.tail, entry.tail, entry.tag = entry.tail, None, "li"


def read_generated(tree: Tree) -> None:
    """Tables of Javadoc, code of Doxygen, terms of AsciiDoctor."""
    for table in tree.with_class("summary-table"):
        cells = list(table)
        width = sum("table-header" in classes(cell) for cell in cells)
        if table.tag != "div" or not width:
            continue
        table.tag = "table"
        for start in range(0, len(cells), width):
            row = etree.SubElement(table, "tr")
            for cell in cells[start : start + width]:
                cell.tag = "th" if "table-header" in classes(cell) else "td"
                row.append(cell)
    for code in tree.with_class("^fragment$"):
        code.tag = "pre"
        for line in code.iterchildren("div"):
            if line.attrib.pop("class", "") == "line":
                line.tail = None
            else:
                gone(line)
    for pairs in tree.with_class("^hdlist$"):
        for cell in pairs.iter("table", "tbody", "tr", "td"):
            cell.tag = {"table": "dl", "td": "dt" if "hdlist1" in classes(cell) else "dd"}.get(cell.tag, "div")


def read_panels(tree: Tree) -> None:
    """Put the name of its tab over each panel, shown or not."""
    tabs = tree.where("role", "tab")
    by_id = {str(tab.get("id")): text_of(tab) for tab in tabs if tab.get("id")}
    by_panel: dict[str, list[str]] = {}
    for tab in {*tabs, *tree.where("data-toggle", "tab"), *tree.where("data-bs-toggle", "tab")}:
        panel = (tab.get("aria-controls") or tab.get("data-bs-target") or tab.get("href") or "").lstrip("#")
        by_panel.setdefault(panel, []).append(text_of(tab))
    heads = {*tree.where("role", "tablist"), *tree.with_class("tabbed-labels")}
    heads |= {one for one in tree.classed(_TABS) if one.find("label") is not None}
    panels = {*tree.where("role", "tabpanel"), *tree.with_class("tab-pane", "tabbed-block", "tabpanel", "tab-panel")}
    panels |= {one for blocks in tree.classed(_BLOCKS) for one in blocks}
    lists: list[list[str]] = []
    """The names in each list of tabs, as far as their panels are still to come."""
    for element in tree.in_order(heads | panels):
        if element in heads:
            named = [tab for tab in element.iter() if tab.get("role") == "tab" or tab.tag == "label"]
            lists.append([text_of(tab) for tab in named][::-1])
            gone(element)
            continue
        while lists and not lists[-1]:
            lists.pop()
        by_order = lists[-1].pop() if lists else ""
        names = by_panel.get(element.get("id") or "-", [])
        name = names[0] if names else by_id.get(element.get("aria-labelledby") or "") or by_order
        for attribute in ("hidden", "aria-hidden", "style", "aria-labelledby"):
            element.attrib.pop(attribute, None)
        element.set("role", "tabpanel")
        if name and len(names) < 2:  # several tabs only filter what a panel shows
            paragraph(f"{name.rstrip(':')}:", element)
    for tab in tree.with_class("tab-label"):
        if tab.tag == "label":
            tab.tag, tab.text = "p", allowed(f"{text_of(tab).rstrip(':')}:")
            del tab[:]
    for radio in tree.where("type", "radio"):
        if "tab" in (radio.get("name") or radio.get("id") or ""):
            gone(radio)


# --- Tables: their rows, how many of them name the columns, and whether it is one at all ----------

MOST_ROWS = 65_534
"""Rows that a cell spans, as in browsers."""
_MOST_HEADERS = 5
"""Rows of a header."""
_SHORT = 100
"""Characters of a cell in a table that a page says is none."""
_LONGEST_CELL = 300
"""Characters of a cell of a table that begins with a heading."""
_LONGEST_NUMBER = 9
"""Digits of a step's number, as in CommonMark."""
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})


def rows_of(table: Element) -> Iterable[Element]:
    """The rows of `table` itself, not of tables in it."""
    for part in table:
        for row in part if part.tag in _ROW_GROUPS else [part]:
            if row.tag == "tr" and next(row.iterchildren("td", "th"), None) is not None:
                yield row


def cells_of(row: Element) -> list[Element]:
    return list(row.iterchildren("td", "th"))


def marks(row: Iterable[Cell]) -> dict[str, Any]:
    """The links and the code of its cells."""
    marked = [cell for cell in row if cell.links or cell.code]
    return {
        "links": [link for cell in marked for link in cell.links],
        "code": [code for cell in marked for code in cell.code],
    }


def is_layout(table: Element, rows: Sequence[Element]) -> bool:
    """Whether `table` only puts things beside each other."""
    if all(len(row) <= 1 for row in rows):
        return True
    if table.get("role") in {"presentation", "none"}:
        return table.find(".//table") is not None or not _is_regular(rows)
    if any(row.find("th") is not None for row in rows):
        return False
    held = [cell for row in rows for cell in row if next(cell.iter(*HEADINGS, "pre"), None) is not None]
    return bool(held) and (len(rows) == 1 or any(len(text_of(cell)) > _LONGEST_CELL for cell in held))


def _is_regular(rows: Sequence[Element]) -> bool:
    """Whether there are several rows with as many cells, all of them filled with a few words."""
    same = len(rows) > 1 and len({len(cells_of(row)) for row in rows}) == 1
    return same and all(0 < len(text_of(cell)) < _SHORT for row in rows for cell in cells_of(row))


def repeated(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether all cells of `row` span into the row `below`, which says the same and more."""
    return bool(row) and len(row) < len(below) and all(one is other for one, other in zip(row, below, strict=False))


def header_rows(rows: Sequence[Element]) -> int:
    """How many of the first rows name the columns."""
    count = sum(row.getparent().tag == "thead" for row in rows[: _MOST_HEADERS + 1])
    for row in [] if count else rows[: min(len(rows) - 1, _MOST_HEADERS + 1)]:
        named = [cell for cell in cells_of(row) if cell.tag == "th" or text_of(cell)]
        if not (named and all(cell.tag == "th" for cell in named)):
            break
        count += 1
    if count > _MOST_HEADERS:
        return 1
    spans = ((at, at + as_number(cell.get("rowspan"))) for at, row in enumerate(rows[:count]) for cell in cells_of(row))
    count = next((at for at, end in spans if at and end > count), count)
    return count or int(len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1]))


def _is_bold(row: Element) -> bool:
    """Whether all that a row says is bold."""
    told = [cell for cell in cells_of(row) if text_of(cell)]
    bold = (sum(len(text_of(part)) for part in cell.iter("b", "strong")) for cell in told)
    return bool(told) and all(size >= len(text_of(cell)) for size, cell in zip(bold, told, strict=True))


def as_number(said: str | None, otherwise: int = 1) -> int:
    """That of a step, or of rows or columns."""
    said = (said or "").strip()
    return int(said) if re.fullmatch(r"[0-9]+", said) and len(said) <= _LONGEST_NUMBER else otherwise
