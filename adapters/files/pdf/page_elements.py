"""What stands on a page of a PDF, in points from its lower left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

FORM_ORDER = 10_000_000
"""From here on counts what is filled into forms: it comes last in the file, wherever it stands."""


class PdfStyle(NamedTuple):
    """How a run of letters is drawn."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    symbol: bool
    quarter_turns: int
    """How many quarters of a circle the letters are turned; 4 is in between."""
    is_unmapped: bool = False
    """The font does not say which letters these are."""
    mono_by_flag_only: bool = False
    """Whether it is monospaced is told by a flag alone, which some programs set on every font."""
    is_ocr: bool = False
    """Not seen: text that was recognized in a picture."""


class PdfSpan(NamedTuple):
    """Letters that the file draws in one go; `y` is their base line, which rises from bottom to top."""

    text: str
    x0: float
    x1: float
    y: float
    style: PdfStyle
    order: int
    is_glued: bool = False
    """No blank stands before it."""
    join_distance: float = 0.5
    """Up to so many sizes from what stands before it, it is the same text."""


class RulingLine(NamedTuple):
    """A straight line: horizontal from `start` to `end` at the height `at`, or vertical."""

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
    """How far the lines around it reach."""
    has_rule_above: bool = False
    """A ruling line parts it from what stands above."""


@dataclass(slots=True)
class PdfTable:
    """Rows of cells, each the lines in it."""

    rows: list[list[list[str]]]
    pages: list[int]
    """The page of each row."""
    header: int
    has_named_header: bool
    """Whether the header looks like one, and is not just the first row."""
    page: int
    x0: float
    y: float
    columns: tuple[tuple[float, float], ...]
    """Where they begin and end."""
    order: int = 0


@dataclass(slots=True)
class PdfPage:
    number: int
    lines: list[PdfLine]
    tables: list[PdfTable]
    horizontal: list[RulingLine]
    has_pictures: bool = False
