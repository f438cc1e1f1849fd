"""Lists, tables, headings, code and tab panels that a page makes of other elements, as such."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from adapters.files.text.html_tree import BLOCKS, Tree, allowed, classes, gone, paragraph, text_of

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
