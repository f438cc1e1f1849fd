"""The elements of a PDF page, in points from its lower left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

FORM_ORDER = 10_000_000
"""First order of values filled into forms: they come last in the file, wherever they stand."""


class PdfStyle(NamedTuple):
    """The drawing style of a run of letters."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    symbol: bool
    quarter_turns: int
    """Quarters of a circle by which the letters are turned; 4 is in between."""
    is_unmapped: bool = False
    """True where the font does not say which letters these are."""
    mono_by_flag_only: bool = False
    """True where only a flag says that it is monospaced. Some programs set it on every font."""
    is_ocr: bool = False
    """True for invisible text that was recognised in a picture."""


class PdfSpan(NamedTuple):
    """Letters that the file draws in one go. `y` is their base line, which rises from bottom to top."""

    text: str
    x0: float
    x1: float
    y: float
    style: PdfStyle
    order: int
    is_glued: bool = False
    """True where no blank stands before it."""
    join_distance: float = 0.5
    """Distance from the text before it, in sizes, up to which both are one text."""


class RulingLine(NamedTuple):
    """A straight line: horizontal from `start` to `end` at the height `position`, or vertical."""

    position: float
    start: float
    end: float


@dataclass(slots=True)
class PdfLine:
    """Letters side by side on one base line."""

    text: str
    x0: float
    x1: float
    y: float
    style: PdfStyle
    order: int
    join_distance: float = 0.5
    page: int = 0
    column_right: float = 0
    """Right end of the lines around it."""
    has_rule_above: bool = False
    """True where a ruling line separates it from the line above."""


@dataclass(slots=True)
class PdfTable:
    """Rows of cells, each with its lines."""

    rows: list[list[list[str]]]
    pages: list[int]
    """Page of each row."""
    header: int
    has_named_header: bool
    """True where the header looks like one, and is not just the first row."""
    page: int
    x0: float
    y: float
    columns: tuple[tuple[float, float], ...]
    """Left and right ends of the columns."""
    order: int = 0


@dataclass(slots=True)
class PdfPage:
    number: int
    lines: list[PdfLine]
    tables: list[PdfTable]
    horizontal: list[RulingLine]
    has_pictures: bool = False
