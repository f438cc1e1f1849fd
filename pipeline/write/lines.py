"""What kind a line of a model's text is, and what the rows of a table hold."""

from __future__ import annotations

import re

from pipeline.values import BlockKind, Cells
from pipeline.write.marks import bare, extract

SECTIONS = ("similarities", "differences", "contradictions", "conclusion")
"""Labels of the comparison template."""
ABSENT = "NOT_IN_DOCUMENTS"
"""What a model writes on a line of its own when the passages do not hold the answer or, after a colon, a part of it."""

DECORATION = '*_# \t`"'
"""What models put around a label."""
LINE = re.compile(
    r"\s*(?:(?P<item>[-*•–‣◦]\s+)|(?P<step>\d{1,3}[.)]\s+)|(?P<row>\|)|(?P<fence>```+|~~~+)|(?P<head>#{1,6}\s)|(?P<quote>>))"
)
_UNSURE = re.compile(r"\s*+(?:[-*•–‣◦_]+|\d{1,3}[.)]?|`{1,2}|~{1,2}|#{1,6})?\s*+$")
RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$")
SECTION = re.compile(rf"[*_#\s]*(?P<name>{'|'.join(SECTIONS)})[*_\s]*(?::[*_]*|$)", re.IGNORECASE)
MISSING = re.compile(r"[*_`\"\s]*NOT[_ ]IN[_ ]DOCUMENTS[*_`\".]*:?(?P<what>.*)")
FOOTER = re.compile(r"[*_#\s]*(?:sources|references|citations)[*_\s]*:", re.IGNORECASE)
_WATCHED = (*SECTIONS, ABSENT.lower(), ABSENT.lower().replace("_", " "), "sources", "references", "citations")
_CELLS = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r":?-+:?$")
_SOURCES = re.compile(r"(?:sources?|citations?|references?|quellen?|fuentes?|passages?)$", re.IGNORECASE)


def may_become_more(line: str) -> bool:
    """Whether it cannot be told yet what kind of line this beginning belongs to."""
    begun = line.lstrip(DECORATION).lower().rstrip("*_: ")
    return bool(_UNSURE.match(line)) or any(word.startswith(begun) for word in _WATCHED)


def read_table(lines: list[str]) -> list[tuple[Cells, BlockKind, tuple[int, ...]]]:
    """Header and rows with their source numbers; a column of sources becomes the numbers of its rows."""
    table = [[cell.strip() for cell in _CELLS.split(_bare(line))] for line in lines]
    ruled = len(table) > 1 and all(_RULER.match(cell) for cell in table[1])
    rows = [cells for cells in table if not all(_RULER.match(cell) or not cell for cell in cells)]
    column = next((n for n, cell in enumerate(rows[0]) if _SOURCES.match(cell)), -1) if ruled and rows else -1
    kinds = [BlockKind.HEADER if ruled and not n else BlockKind.ROW for n in range(len(rows))]
    return [_row(cells, column, kind) for cells, kind in zip(rows, kinds, strict=True)]


def _row(cells: list[str], column: int, kind: BlockKind) -> tuple[Cells, BlockKind, tuple[int, ...]]:
    read = [("", bare(cell)) if n == column else extract(cell) for n, cell in enumerate(cells)]
    told = tuple(text.replace("<br>", " ").replace("\\|", "|") for n, (text, _) in enumerate(read) if n != column)
    return told, kind, tuple(dict.fromkeys(number for _, numbers in read for number in numbers))


def _bare(line: str) -> str:
    """A line of a table without the bars at its ends; an empty cell there stays."""
    line = line.strip().removeprefix("|")
    return line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
