"""Tables of reStructuredText whose text is wider than the lines drawn for it: docutils refuses them, readers do not."""

from __future__ import annotations

import re
from itertools import pairwise

_BORDER = re.compile(r"=+(?: +=+)+")
_GRID_BORDER = re.compile(r"\+(?:-+\+)+|\+(?:=+\+)+")


def widened(text: str) -> str:
    """A simple or grid table with lines as wide as its columns; anything else as it is."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    if _BORDER.fullmatch(lines[0]):
        return "\n".join(_simple(lines))
    if _GRID_BORDER.fullmatch(lines[0]):
        return "\n".join(_grid(lines))
    return text


def _simple(lines: list[str]) -> list[str]:
    """The lines drawn up to the next column, where every text ends before that."""
    starts = [column.start() for column in re.finditer("=+", lines[0])]
    if any(line[start - 1 : start].strip() for line in lines for start in starts[1:]):
        return lines
    last = max(len(lines[0]), *map(len, lines)) + 1
    border = " ".join("=" * (after - start - 1) for start, after in pairwise([*starts, last]))
    return [border if _BORDER.fullmatch(line) else line for line in lines]


def _grid(lines: list[str]) -> list[str]:
    """Every cell as wide as the widest of its column, where all rows have the same columns."""
    split = [re.split(r"\+" if _GRID_BORDER.fullmatch(line) else r"\|", line) for line in lines]
    if any(len(row) != len(split[0]) or row[0] or row[-1] for row in split):
        return lines
    rows = [row[1:-1] for row in split]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _bordered(row, widths, "+", row[0][0]) if _GRID_BORDER.fullmatch(line) else _bordered(row, widths, "|", " ")
        for line, row in zip(lines, rows, strict=True)
    ]


def _bordered(row: list[str], widths: list[int], edge: str, fill: str) -> str:
    return edge + edge.join(cell.ljust(width, fill) for cell, width in zip(row, widths, strict=True)) + edge
