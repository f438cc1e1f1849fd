"""Code of HTML: its lines as they are, without their numbers."""

from __future__ import annotations

import re

from lxml import etree

from adapters.files.text.html_tree import BLOCKS, BREAK, Element, classes

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
