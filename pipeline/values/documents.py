"""Documents, the chunks they are cut into, and the chunks that a search found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field, SkipValidation

from pipeline.values.base import Value


class BlockKind(StrEnum):
    """What a piece of text is on its page."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    STEP = "step"
    HEADER = "header"
    """The header row of a table."""
    ROW = "row"
    CODE = "code"


_BAR = re.compile(r"(?<!\S)\|(?!\S)")


def row_text(cells: Iterable[str]) -> str:
    """The cells of a table row as one text, from which `row_cells` gives them back: a bar that stands alone in
    a cell becomes `∣`."""
    return " | ".join(_BAR.sub("∣", cell) for cell in cells)


def row_cells(text: str) -> list[str]:
    """The cells of a table row that `row_text` made."""
    return text.split(" | ")


def row_named(row: str, header: str) -> str:
    """A table row to be read by itself, each cell behind the name of its column; empty where the columns of the
    `header` are not as many as the cells."""
    columns, cells = row_cells(header), row_cells(row)
    if len(columns) != len(cells):
        return ""
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(columns, cells, strict=True) if cell)


class Link(Value):
    """Words of a text, and the address that they lead to."""

    text: str
    url: str


class Block(Value):
    """A run of text of one kind, as a parser found it."""

    kind: BlockKind
    text: str
    """Plain text. A table row is its `row_text`; a step and an item come without their marker."""
    heading: tuple[str, ...] = ()
    """The path of headings above, outermost first."""
    page: int | None = None
    """1-based page or slide."""
    sheet: str | None = None
    row: int | None = None
    """1-based row of a sheet or CSV file."""
    depth: int = 0
    """How many entries of lists it stands within."""
    number: int = 0
    """Of a step, as its document counts it; 0 where it does not."""
    anchor: str = ""
    """The fragment of the document's address that leads to the block, as it is on the page (not percent-encoded). That
    of a heading leads to what stands below it, too."""
    links: tuple[Link, ...] = ()
    """In the order of their words in `text`; relative to the document's address."""


TAUGHT = "taught"
"""The source of people's replies that were kept as answers."""


class Document(Value):
    id: str
    collection: str = "default"
    filename: str
    title: str
    product: str = ""
    document_type: str = ""
    source: str = ""
    """What it was indexed from (a folder, a file, an upload): documents of one source are pruned together."""
    url: str = ""
    """The address a reader can open, exactly as it may be linked; empty when there is none."""
    version: str = ""
    """`SourceItem.version` of what was parsed."""
    metadata: dict[str, str] = Field(default_factory=dict)
    flagged: bool = False
    """The text holds instructions addressed to an assistant."""


class Parsed(Value):
    """A document and its blocks in reading order."""

    document: Document
    blocks: SkipValidation[Sequence[Block]]


class Unit(Value):
    """One sentence, item, step, row or code block of a chunk: the grain of citing and of sentence vectors."""

    start: int
    end: int
    kind: BlockKind
    part: int = 0
    """The paragraph, list, table or run of code of its document that it belongs to, with what stands in the entries of
    a list; 0 in chunks that were kept before this was."""
    parent: int | None = None
    """The unit of its chunk that it stands under: the entry that it is nested in, the lead-in or heading of its list,
    the header of its table, the sentence that its code follows, the heading above its sentence."""
    number: int = 0
    """Of a step, as it is counted."""


class Chunk(Value):
    """A piece of one document that is searched and cited as a whole."""

    id: str
    document_id: str
    text: str
    units: tuple[Unit, ...]
    """In order, not overlapping, covering all text but the white space between."""
    heading: tuple[str, ...] = ()
    page: int | None = None
    sheet: str | None = None
    row: int | None = None
    position: int = 0
    """0-based place in the document."""
    overlap: int = 0
    """How many leading characters repeat the end of the chunk before."""
    together: bool = False
    """Its units are short rows of a long table: one vector stands for all of them."""
    anchors: tuple[tuple[int, str], ...] = ()
    """From which character on which fragment of the document's address leads there; ascending."""
    links: tuple[tuple[int, int, str], ...] = ()
    """Where words start and end that lead to an address of the document's own host, and that address."""

    def said(self, unit: Unit) -> str:
        """The text of one of its units."""
        return self.text[unit.start : unit.end]


class RetrievedChunk(Value):
    """A passage: a chunk with its document and how well it fits the question."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, calibrated: comparable between questions."""
    unit_scores: tuple[float, ...] = ()
    """Cosine of each unit with the question; empty when there are no vectors."""
    query: int = 0
    """Which of the plan's queries found it."""


class Hit(NamedTuple):
    """A chunk id with a retriever's own score, best first and not comparable between retrievers."""

    chunk_id: str
    score: float
