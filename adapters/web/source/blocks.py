"""A passage as blocks of a page: headings, paragraphs, lists, tables and code, with the cited words marked.
All of it is data for a template, which escapes it: no text of a document becomes markup here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import ClassVar, NamedTuple, assert_never

from pipeline.values import BlockKind, Chunk
from pipeline.words.text import strip_invisible

Spans = Sequence[tuple[int, int]]
_ENTRIES = (BlockKind.ITEM, BlockKind.STEP)
_TABLE = (BlockKind.HEADER, BlockKind.ROW)


class MarkedRun(NamedTuple):
    """A run of text that is marked as a whole or not at all, and code as a whole or not at all."""

    text: str
    marked: bool = False
    code: bool = False


MarkedRuns = tuple[MarkedRun, ...]


@dataclass(frozen=True)
class PassageHeading:
    """A heading inside a passage."""

    runs: MarkedRuns
    level: int
    """1 stands below the title of the document."""
    shape: ClassVar[str] = "heading"


@dataclass(frozen=True)
class PassageParagraph:
    """A paragraph."""

    runs: MarkedRuns
    lead: bool = False
    """True where it looks like a heading."""
    shape: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class PassageCode:
    """A block of code."""

    runs: MarkedRuns
    shape: ClassVar[str] = "code"


@dataclass(frozen=True)
class PassageTable:
    """A table."""

    header: tuple[MarkedRuns, ...]
    """Empty where the columns have no names."""
    rows: tuple[tuple[MarkedRuns, ...], ...]
    shape: ClassVar[str] = "table"


@dataclass(frozen=True)
class PassageListItem:
    """An entry of a list, with the blocks nested in it."""

    runs: MarkedRuns
    number: int
    """The number of a step, as its document counts it; 0 where it does not."""
    below: tuple[PassageBlock, ...]


@dataclass(frozen=True)
class PassageList:
    """A list of entries or of numbered steps."""

    entries: tuple[PassageListItem, ...]
    ordered: bool
    shape: ClassVar[str] = "listing"


PassageBlock = PassageHeading | PassageParagraph | PassageCode | PassageTable | PassageList


def passage_blocks(
    chunk: Chunk, spans: Spans = (), *, start: int = 0, end: int | None = None
) -> tuple[PassageBlock, ...]:
    """Return the blocks in the characters from `start` to `end` of a chunk. A table that began before them keeps its
    header."""
    stop = len(chunk.text) if end is None else end
    below: dict[int | None, list[int]] = defaultdict(list)
    visible = {index for index, unit in enumerate(chunk.units) if unit.start >= start and unit.end <= stop}
    for index in sorted(visible):
        entry = _parent_entry(chunk, index)
        below[entry if entry in visible else None].append(index)
    return tuple(_build_blocks(_MarkedChunk(chunk, spans), below, None))


def _parent_entry(chunk: Chunk, index: int) -> int | None:
    """Return the index of the list entry that holds a unit; None where none does."""
    unit = chunk.units[index]
    above = unit.parent
    if unit.kind is BlockKind.ROW and above is not None:
        above = chunk.units[above].parent
    return above if above is not None and chunk.units[above].kind in _ENTRIES else None


class _MarkedChunk:
    """The text of a chunk as marked runs."""

    def __init__(self, chunk: Chunk, spans: Spans) -> None:
        self.chunk = chunk
        self._spans = spans

    def runs(self, start: int, end: int) -> MarkedRuns:
        runs = (MarkedRun(strip_invisible(piece), marked, code) for piece, marked, code in self._split(start, end))
        return tuple(run for run in runs if run.text)

    def unit_runs(self, indices: Sequence[int]) -> MarkedRuns:
        """Return the runs of adjacent units and of the text between them."""
        units = self.chunk.units
        return self.runs(units[indices[0]].start, units[indices[-1]].end)

    def cells(self, index: int) -> tuple[MarkedRuns, ...]:
        missing = len(self.chunk.cells_at(index)) - len(spans := self.chunk.cell_spans(index))
        return (*(self.runs(start, end) for start, end in spans), *[()] * missing)

    def _split(self, start: int, end: int) -> Iterator[tuple[str, bool, bool]]:
        ends = {position for span in (*self._spans, *self.chunk.code) for position in span if start < position < end}
        for piece_start, piece_end in pairwise(sorted({start, end, *ends})):
            yield (
                self.chunk.text[piece_start:piece_end],
                _is_inside(piece_start, self._spans),
                _is_inside(piece_start, self.chunk.code),
            )


def _is_inside(position: int, spans: Spans) -> bool:
    return any(start <= position < end for start, end in spans)


def _build_blocks(
    text: _MarkedChunk, below: Mapping[int | None, Sequence[int]], holder: int | None
) -> Iterator[PassageBlock]:
    units = text.chunk.units
    for kind, indices in _group_units(text.chunk, below.get(holder, ())):
        match kind:
            case BlockKind.HEADING if holder is None and not units[indices[0]].inferred:
                yield PassageHeading(text.unit_runs(indices), _heading_level(text.chunk, indices[0]))
            case BlockKind.HEADING | BlockKind.PROSE:
                yield PassageParagraph(text.unit_runs(indices), lead=kind is BlockKind.HEADING)
            case BlockKind.CODE:
                yield PassageCode(text.unit_runs(indices))
            case BlockKind.ROW | BlockKind.HEADER:
                yield _build_table(text, indices)
            case BlockKind.ITEM | BlockKind.STEP:
                entries = (
                    PassageListItem(
                        text.unit_runs([index]), units[index].number, tuple(_build_blocks(text, below, index))
                    )
                    for index in indices
                )
                yield PassageList(tuple(entries), ordered=kind is BlockKind.STEP)
            case _:
                assert_never(kind)


def _group_units(chunk: Chunk, indices: Sequence[int]) -> Iterator[tuple[BlockKind, list[int]]]:
    """Yield groups of units that make up one block, each with its kind."""
    opened = 0

    def block(index: int) -> tuple[BlockKind, int, int]:
        nonlocal opened
        unit = chunk.units[index]
        kind = BlockKind.ROW if unit.kind in _TABLE else unit.kind
        alone = kind is BlockKind.HEADING or (kind is BlockKind.PROSE and chunk.is_on_new_line(index))
        opened += alone or unit.kind is BlockKind.HEADER
        return kind, unit.part, opened

    # `opened` counts up where a unit begins a block of its own, so that it gets another key than the one before
    for (kind, *_), members in groupby(indices, key=block):
        yield kind, list(members)


def _build_table(text: _MarkedChunk, indices: Sequence[int]) -> PassageTable:
    units = text.chunk.units
    rows = [index for index in indices if units[index].kind is BlockKind.ROW]
    header_rows = [index for index in indices if units[index].kind is BlockKind.HEADER]
    header = header_rows[0] if header_rows else text.chunk.header_of(rows[0])
    return PassageTable(() if header is None else text.cells(header), tuple(text.cells(index) for index in rows))


def _heading_level(chunk: Chunk, index: int) -> int:
    """Return the level of a heading: those of the chunk's path are known, others stand below it."""
    text = chunk.text_at(index)
    return 1 + (chunk.heading.index(text) if text in chunk.heading else len(chunk.heading))
