"""Lists, tables, headings, code and tab panels that a page builds from other elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from lxml import etree

from adapters.files.html.tree import (
    BLOCK_TAGS,
    HEADING_TAGS,
    HtmlElement,
    HtmlTree,
    class_names,
    element_text,
    prepend_paragraph,
    remove_element,
    strip_invalid_chars,
)
from adapters.files.table_grid import Cell

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
"""Tags by ARIA role."""
_PLAIN = frozenset({"div", "span", "p", "ul", "li"})
"""Elements whose role decides their meaning."""
_STYLE = re.compile(r"\.([\w-]{1,60})\s*\{([^{}]{0,2000})\}")
_MEANINGFUL_STYLE = re.compile(
    r"text-decoration[^;]*line-through|vertical-align\s*:\s*(?:super|sub)\b|font-weight\s*:\s*(?:bold|[6-9]00)",
    re.IGNORECASE,
)
"""Styles that strike or raise words, or make them bold."""
_MAX_STYLE_CHARACTERS = 500_000
"""Characters of a page's style sheets that are examined."""
_GAP = re.compile(r"font:\s*7\.0pt|mso-list:\s*Ignore", re.IGNORECASE)
"""Style of the gap between a bullet of Word and its entry."""
_BULLET = re.compile(r"\(?[\w.]{1,8}[.)]|\S")
_HOLDS = frozenset("body html div section article main header form center".split())
_OPENING = 100
"""Blocks at the start of a page among which its title is looked for."""
_TABS, _BLOCKS = re.compile("^tabs$"), re.compile("^blocks$")
"""Classes of tab lists in Spectre, and of tab panels in Zensical."""


def inline_css_styles(tree: HtmlTree) -> None:
    """Copy the styles that strike and raise words from style sheets to the elements with their classes."""
    sheets = "".join(sheet.text or "" for sheet in tree.root.iter("style"))[:_MAX_STYLE_CHARACTERS]
    rules = ((rule[1], _MEANINGFUL_STYLE.search(rule[2])) for rule in _STYLE.finditer(sheets))
    style_by_class = {name: style[0] for name, style in rules if style}
    for element in tree.with_attribute("class") if style_by_class else ():
        if styles := ";".join(style_by_class[name] for name in element.get("class").split() if name in style_by_class):
            tree.set_attribute(element, "style", f"{element.get('style') or ''};{styles}")


def apply_aria_roles(tree: HtmlTree) -> None:
    for element in tree.with_attribute("role"):
        role, level = element.get("role"), element.get("aria-level")
        if role == "heading" and element.tag in _PLAIN:
            element.tag = f"h{level}" if level in {*"123456"} else "h2"
        elif element.tag in _PLAIN or (role == "columnheader" and element.tag == "td"):
            element.tag = _TAGS.get(role, element.tag)
            if role == "listitem" and element.getparent().get("role") == "list":
                element.getparent().tag = "ul"


def promote_title(tree: HtmlTree) -> None:
    """Turn a first paragraph that is the title into a heading."""
    opening = islice(tree.root.iter(*BLOCK_TAGS), _OPENING)
    first = next((block for block in opening if block.tag not in _HOLDS and element_text(block)), None)
    title = tree.root.find(".//title")
    if first is None or first.tag != "p":
        return
    if {"title", "msotitle"} & {*class_names(first).split()} or (
        title is not None and element_text(first) == element_text(title)
    ):
        first.tag = "h1"
        first.set("title", "title")


def convert_word_lists(tree: HtmlTree) -> None:
    """Turn paragraphs that Word numbers or marks with a bullet into list entries."""
    for entry in tree.with_class_containing("msolistparagraph"):
        gap = next((span for span in entry.iter("span") if _GAP.search(span.get("style") or "")), None)
        if entry.tag != "p" or gap is None:
            continue
        mark = gap if gap.getparent() is entry else gap.getparent()
        if not _BULLET.fullmatch(element_text(mark)):
            continue
        number = re.match(r"\s*([0-9]{1,4})[.)]", mark.text or "")
        level = re.search(r"level([1-9])|margin-left:\s*([0-9]{1,3})", entry.get("style") or "")
        depth = 0 if not level else int(level[1]) - 1 if level[1] else max(int(level[2]) // 36 - 1, 0)
        around = etree.Element("ol" if number else "ul", {"class": f"lst-kix_word-{min(depth, 9)}"})
        if number:
            around.set("start", number[1])
        remove_element(mark)
        entry.addprevious(around)
        around.append(entry)
        around.tail, entry.tail, entry.tag = entry.tail, None, "li"


def convert_generated_docs(tree: HtmlTree) -> None:
    """Convert tables of Javadoc, code of Doxygen and terms of AsciiDoctor."""
    for table in tree.with_class_containing("summary-table"):
        cells = list(table)
        width = sum("table-header" in class_names(cell) for cell in cells)
        if table.tag != "div" or not width:
            continue
        table.tag = "table"
        for start in range(0, len(cells), width):
            row = etree.SubElement(table, "tr")
            for cell in cells[start : start + width]:
                cell.tag = "th" if "table-header" in class_names(cell) else "td"
                row.append(cell)
    for code in tree.with_class_containing("^fragment$"):
        code.tag = "pre"
        for line in code.iterchildren("div"):
            if line.attrib.pop("class", "") == "line":
                line.tail = None
            else:
                remove_element(line)
    for pairs in tree.with_class_containing("^hdlist$"):
        for cell in pairs.iter("table", "tbody", "tr", "td"):
            cell.tag = {"table": "dl", "td": "dt" if "hdlist1" in class_names(cell) else "dd"}.get(cell.tag, "div")


def label_tab_panels(tree: HtmlTree) -> None:
    """Put the name of its tab over each panel, visible or not."""
    tabs = tree.with_attribute_value("role", "tab")
    by_id = {str(tab.get("id")): element_text(tab) for tab in tabs if tab.get("id")}
    by_panel: dict[str, list[str]] = {}
    for tab in {
        *tabs,
        *tree.with_attribute_value("data-toggle", "tab"),
        *tree.with_attribute_value("data-bs-toggle", "tab"),
    }:
        panel = (tab.get("aria-controls") or tab.get("data-bs-target") or tab.get("href") or "").lstrip("#")
        by_panel.setdefault(panel, []).append(element_text(tab))
    heads = {*tree.with_attribute_value("role", "tablist"), *tree.with_class_containing("tabbed-labels")}
    heads |= {tab_list for tab_list in tree.with_class_matching(_TABS) if tab_list.find("label") is not None}
    panels = {
        *tree.with_attribute_value("role", "tabpanel"),
        *tree.with_class_containing("tab-pane", "tabbed-block", "tabpanel", "tab-panel"),
    }
    panels |= {block for blocks in tree.with_class_matching(_BLOCKS) for block in blocks}
    lists: list[list[str]] = []
    """Names in each list of tabs whose panels are still to come."""
    for element in tree.in_document_order(heads | panels):
        if element in heads:
            labels = [tab for tab in element.iter() if tab.get("role") == "tab" or tab.tag == "label"]
            lists.append([element_text(tab) for tab in labels][::-1])
            remove_element(element)
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
            prepend_paragraph(f"{name.rstrip(':')}:", element)
    for tab in tree.with_class_containing("tab-label"):
        if tab.tag == "label":
            tab.tag, tab.text = "p", strip_invalid_chars(f"{element_text(tab).rstrip(':')}:")
            del tab[:]
    for radio in tree.with_attribute_value("type", "radio"):
        if "tab" in (radio.get("name") or radio.get("id") or ""):
            remove_element(radio)


# --- Tables: their rows, how many of them name the columns, and whether it is one at all ----------

MAX_ROW_SPAN = 65_534
"""Rows that a cell may span, as in browsers."""
_MAX_HEADER_ROWS = 5
"""Rows that a header may have."""
_SHORT = 100
"""Characters of a cell in a table that the page declares to be layout."""
_MAX_CELL_LENGTH = 300
"""Characters of a cell in a table that begins with a heading."""
_MAX_DIGITS = 9
"""Digits of a step's number, as in CommonMark."""
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})


def table_row_elements(table: HtmlElement) -> Iterable[HtmlElement]:
    """Yield the rows of `table` itself, not of tables in it."""
    for part in table:
        for row in part if part.tag in _ROW_GROUPS else [part]:
            if row.tag == "tr" and next(row.iterchildren("td", "th"), None) is not None:
                yield row


def row_cell_elements(row: HtmlElement) -> list[HtmlElement]:
    return list(row.iterchildren("td", "th"))


def cell_annotations(row: Iterable[Cell]) -> dict[str, Any]:
    """Return the links and the code of a row's cells, as keywords of `OutlineBuilder.add_row`."""
    marked = [cell for cell in row if cell.links or cell.code]
    return {
        "links": [link for cell in marked for link in cell.links],
        "code": [code for cell in marked for code in cell.code],
    }


def is_layout_table(table: HtmlElement, rows: Sequence[HtmlElement]) -> bool:
    """Return whether `table` only puts things beside each other."""
    if all(len(row) <= 1 for row in rows):
        return True
    if table.get("role") in {"presentation", "none"}:
        return table.find(".//table") is not None or not _is_data_table(rows)
    if any(row.find("th") is not None for row in rows):
        return False
    holders = [cell for row in rows for cell in row if next(cell.iter(*HEADING_TAGS, "pre"), None) is not None]
    return bool(holders) and (len(rows) == 1 or any(len(element_text(cell)) > _MAX_CELL_LENGTH for cell in holders))


def _is_data_table(rows: Sequence[HtmlElement]) -> bool:
    """Return whether there are several rows with equally many cells, all filled with a few words."""
    same = len(rows) > 1 and len({len(row_cell_elements(row)) for row in rows}) == 1
    return same and all(0 < len(element_text(cell)) < _SHORT for row in rows for cell in row_cell_elements(row))


def is_repeated_row(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Return whether all cells of `row` span into the row `below`, which then repeats it and adds more."""
    return bool(row) and len(row) < len(below) and all(cell is other for cell, other in zip(row, below, strict=False))


def count_html_headers(rows: Sequence[HtmlElement]) -> int:
    """Count the first rows that name the columns."""
    count = sum(row.getparent().tag == "thead" for row in rows[: _MAX_HEADER_ROWS + 1])
    for row in [] if count else rows[: min(len(rows) - 1, _MAX_HEADER_ROWS + 1)]:
        filled = [cell for cell in row_cell_elements(row) if cell.tag == "th" or element_text(cell)]
        if not (filled and all(cell.tag == "th" for cell in filled)):
            break
        count += 1
    if count > _MAX_HEADER_ROWS:
        return 1
    spans = (
        (at, at + parse_html_int(cell.get("rowspan")))
        for at, row in enumerate(rows[:count])
        for cell in row_cell_elements(row)
    )
    count = next((at for at, end in spans if at and end > count), count)
    return count or int(len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1]))


def _is_bold(row: HtmlElement) -> bool:
    """Return whether all text of a row is bold."""
    filled = [cell for cell in row_cell_elements(row) if element_text(cell)]
    bold = (sum(len(element_text(part)) for part in cell.iter("b", "strong")) for cell in filled)
    return bool(filled) and all(size >= len(element_text(cell)) for size, cell in zip(bold, filled, strict=True))


def parse_html_int(text: str | None, default: int = 1) -> int:
    """Parse the number of a step, of rows or of columns. Return `default` where it is none."""
    text = (text or "").strip()
    return int(text) if re.fullmatch(r"[0-9]+", text) and len(text) <= _MAX_DIGITS else default
