"""What stands on a page of a PDF, in points from its lower left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

TYPED = 10_000_000
"""From here on counts what is filled into forms: it comes last in the file, wherever it stands."""


class Style(NamedTuple):
    """How a run of letters is drawn."""

    size: float
    bold: bool
    italic: bool
    mono: bool
    symbol: bool
    turn: int
    """How many quarters of a circle the letters are turned; 4 is in between."""
    unknown: bool = False
    """The font does not say which letters these are."""
    flagged: bool = False
    """Whether it is monospaced is told by a flag alone, which some programs set on every font."""
    recognized: bool = False
    """Not seen: text that was recognized in a picture."""


class Piece(NamedTuple):
    """Letters that the file draws in one go; `y` is their base line, which rises from bottom to top."""

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    order: int
    glued: bool = False
    """No blank stands before it."""
    reach: float = 0.5
    """Up to so many sizes from what stands before it, it is the same text."""


class Rule(NamedTuple):
    """A straight line: horizontal from `start` to `end` at the height `at`, or vertical."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Line:
    """Letters side by side on one base line."""

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    order: int
    reach: float = 0.5
    page: int = 0
    right: float = 0
    """How far the lines around it reach."""
    parted: bool = False
    """A ruling line parts it from what stands above."""


@dataclass(slots=True)
class Table:
    """Rows of cells, each the lines in it."""

    rows: list[list[list[str]]]
    pages: list[int]
    """The page of each row."""
    header: int
    named: bool
    """Whether the header looks like one, and is not just the first row."""
    page: int
    x0: float
    y: float
    columns: tuple[tuple[float, float], ...]
    """Where they begin and end."""
    order: int = 0


@dataclass(slots=True)
class Page:
    number: int
    lines: list[Line]
    tables: list[Table]
    horizontal: list[Rule]
    pictures: bool = False
