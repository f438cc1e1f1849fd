"""Blocks -> pieces: the units of text that chunks are filled with, grouped by what belongs together."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from pipeline.ports import Tokenizer
from pipeline.values import Block, BlockKind, Link, cell_ends, join_cells
from pipeline.words.text import sentence_spans

# --- Parts: what is one paragraph, list, table or run of code -------------------------------------

_ENTRIES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})


class BlockPosition(NamedTuple):
    """Where a block stands in its document: in which part, in how many entries of a list, as which step."""

    part: int
    depth: int
    number: int


class PartCounter:
    """Counts the parts of a document, section by section."""

    def __init__(self) -> None:
        self._count = 0

    def positions(self, blocks: Sequence[Block], *, goes_on: bool = False) -> list[BlockPosition]:
        """The place of each block of a section; where it `goes_on`, rows that come first are of the part before.

        Steps that their document counts on are one list, and what stands between two of them is part of the first."""
        places: list[BlockPosition] = []
        kind: BlockKind | None = None
        listed, last = 0, -1
        for index, block in enumerate(blocks):
            before = blocks[index - 1] if index else None
            step = places[last].number if last >= 0 else 0
            if block.kind is BlockKind.STEP and last >= 0 and _next_step(step, blocks[last + 1 : index], block):
                part = listed = places[last].part
                places[last + 1 :] = [
                    _inside(place, blocks[n], part) for n, place in enumerate(places[last + 1 :], last + 1)
                ]
            elif _in_list(block) and before and _in_list(before) and _same_list(block, kind):
                part = listed
            elif _same_run(before, block) or (
                goes_on and not index and block.kind is BlockKind.ROW and not block.opens
            ):
                part = places[-1].part if places else self._count
            else:
                self._count += 1
                part, step = self._count, 0
                listed = part if _in_list(block) else listed
            kind = block.kind if block.kind in _ENTRIES and not block.depth else kind
            number = block.number or step + 1 if block.kind is BlockKind.STEP else 0
            places.append(BlockPosition(part, block.depth, number))
            last = index if number else -1 if block.kind is BlockKind.HEADING else last
        return places


def _next_step(step: int, between: Sequence[Block], block: Block) -> bool:
    """Whether `block` is counted on from `step`; where nothing is counted, only code may stand `between`."""
    uncounted = not block.number and all(one.kind is BlockKind.CODE or _in_list(one) for one in between)
    return block.number == step + 1 or uncounted


def _inside(place: BlockPosition, block: Block, part: int) -> BlockPosition:
    """What stands between two steps, as a part of the first; a table stays one."""
    return BlockPosition(place.part if block.kind in _TABLE else part, max(1, place.depth), 0)


def _in_list(block: Block) -> bool:
    return block.kind in _ENTRIES or block.depth > 0


def _same_list(block: Block, kind: BlockKind | None) -> bool:
    """Whether an entry may belong to a list of entries of that `kind`."""
    if block.depth:
        return block.kind not in _TABLE
    return kind is block.kind and not (block.kind is BlockKind.STEP and block.number)


def _same_run(before: Block | None, block: Block) -> bool:
    """Whether rows are of one table, and blocks of code stand one after another."""
    if before is None:
        return False
    rows = block.kind is BlockKind.ROW and before.kind in _TABLE and not block.opens
    return rows or (block.kind is before.kind is BlockKind.CODE and not (block.depth or before.depth))


# --- Pieces ---------------------------------------------------------------------------------------

LONG_ITEM = 120
"""Tokens from which a list item is taken apart into sentences."""
MAX_LIST_DEPTH = 4
"""Levels of nested lists that are told apart; a marker is indented by two blanks a level."""
_CHARACTERS_PER_TOKEN = 10
"""A token counts for at most this many characters: a word that a tokenizer gives up on keeps its true size."""
_SECTION = 2_000
"""Blocks from which a section comes in parts, cut between paragraphs or in a table of at least as many rows."""
LONG_TABLE = 1_000
"""Rows from which a table is a long one."""
_LISTS = frozenset({BlockKind.ITEM, BlockKind.STEP})
_LED_IN = _LISTS | _TABLE | {BlockKind.CODE}


@dataclass(frozen=True)
class BlockPiece:
    """One unit before it has a place: with the marker shown before it and the white space before that."""

    text: str
    block: Block
    kind: BlockKind
    tokens: int
    """With the marker."""
    part: int
    """`Unit.part`."""
    depth: int
    """How many entries of that list it stands within."""
    number: int = 0
    marker: str = ""
    leading_space: str = "\n\n"
    links: tuple[tuple[int, int, str], ...] = ()
    """Where words of `text` start and end that lead to an address, and that address."""
    cells: tuple[int, ...] = ()
    """`Unit.cells`."""
    code: tuple[tuple[int, int], ...] = ()
    """Where inline code starts and ends in `text`."""


@dataclass(frozen=True)
class PieceGroup:
    """A paragraph, list, table or code block."""

    pieces: tuple[BlockPiece, ...]
    keep_together: bool
    """Worth a chunk of its own rather than being cut."""
    repeated_opening: tuple[BlockPiece, ...] = ()
    """What each later part of it begins with: the header row of a table, the lead-in of a list."""
    is_continued: bool = False
    """Its first rows came before."""

    @property
    def is_long_table(self) -> bool:
        """Whether it is rows of a long table."""
        return self.is_continued or (self.pieces[-1].kind is BlockKind.ROW and len(self.pieces) > LONG_TABLE)

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


@dataclass(frozen=True)
class HeadingSection:
    """Headings and what stands under them, up to the next heading, or a part of that."""

    heading_path: tuple[str, ...]
    groups: tuple[PieceGroup, ...]
    is_continued: bool = False
    """It is the next part of the section before."""

    @property
    def tokens(self) -> int:
        return sum(group.tokens for group in self.groups)


def build_sections(blocks: Iterable[Block], tokenizer: Tokenizer, limit: int) -> Iterator[HeadingSection]:
    """Sections in reading order, read as they are asked for; no piece has more than `limit` tokens. Raises what the
    tokenizer raises."""
    cutter = _Cutter(tokenizer, limit)
    header: Block | None = None
    for own, goes_on in _runs(blocks):
        inner = next((block for block in own if block.kind is not BlockKind.HEADING), None)
        path = inner.heading if inner else (*own[-1].heading, own[-1].text)
        yield HeadingSection(path, tuple(cutter.groups(own, goes_on=goes_on, header=header)), goes_on)
        for block in own:
            inside = block.kind is BlockKind.ROW and not block.opens
            header = block if block.kind is BlockKind.HEADER else header if inside else None


def _runs(blocks: Iterable[Block]) -> Iterator[tuple[list[Block], bool]]:
    """The blocks of each section, or of a part of it, and whether that goes on with the section before."""
    own: list[Block] = []
    goes_on = False
    rows = 0
    for block in blocks:
        starts = bool(own) and _starts(own[-1], block)
        if starts or (len(own) >= _SECTION and (rows >= _SECTION or _apart(own[-1], block))):
            yield own, goes_on
            own, goes_on = [], not starts
        own.append(block)
        rows = rows + 1 if block.kind is BlockKind.ROW else 0
    if own:
        yield own, goes_on


def _starts(before: Block, block: Block) -> bool:
    """Whether a heading follows something else, or the path or sheet changes without one."""
    if block.kind is BlockKind.HEADING:
        return before.kind is not BlockKind.HEADING
    return before.kind is not BlockKind.HEADING and (block.heading, block.sheet) != (before.heading, before.sheet)


def _apart(before: Block, block: Block) -> bool:
    """Whether they are paragraphs that nothing holds together."""
    return block.kind is before.kind is BlockKind.PROSE and not before.text.endswith((":", "："))


class _Cutter:
    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._counted = PartCounter()

    def groups(self, blocks: Sequence[Block], *, goes_on: bool, header: Block | None) -> Iterator[PieceGroup]:
        """The parts of a section, each list, table and run of code with the sentence that leads it in.

        Where it `goes_on`, rows that come first are of the table before, whose `header` that is."""
        lead: tuple[BlockPiece, ...] = ()
        places = self._counted.positions(blocks, goes_on=goes_on)
        for run, following in _following(_together(blocks, places)):
            first = run[0][0]
            more = goes_on and first is blocks[0] and first.kind is BlockKind.ROW and not first.opens
            pieces: list[BlockPiece] = []
            for block, place in run:
                pieces.extend(self._pieces(block, place, "\n" if pieces or lead or more else "\n\n"))
            if following in _LED_IN and first.kind is BlockKind.PROSE and first.text.endswith((":", "：")):
                if pieces[:-1]:
                    yield PieceGroup(tuple(pieces[:-1]), keep_together=False)
                lead = (pieces[-1],)
                continue
            above = tuple(pieces[:1]) if first.kind is BlockKind.HEADER else ()
            if more and header:
                above = tuple(self._pieces(header, run[0][1], "\n\n"))[:1]
            repeated = above or (lead if first.kind in _LISTS else ())
            yield PieceGroup((*lead, *pieces), first.kind in _LED_IN, repeated, more)
            lead = ()

    def _pieces(self, block: Block, place: BlockPosition, space: str) -> Iterator[BlockPiece]:
        indent = "  " * min(block.depth, MAX_LIST_DEPTH)
        item, prose = block.kind is BlockKind.ITEM, block.kind is BlockKind.PROSE
        marker = f"{indent}- " if item else f"{place.number}. " if block.kind is BlockKind.STEP else ""
        tokens = 0 if prose else self._cost(marker + block.text)
        whole = BlockPiece(block.text, block, block.kind, tokens, *place, marker, space, cells=cell_ends(block.cells))
        cut = self._by_sentence if prose or (block.kind in _LISTS and tokens > LONG_ITEM) else self._cut
        pieces = _coded(cut(whole), block) if block.code else cut(whole)
        yield from _linked(pieces, block.links) if block.links else pieces

    def _by_sentence(self, whole: BlockPiece) -> Iterator[BlockPiece]:
        """The first sentence keeps kind and marker; the rest follow as prose."""
        before = 0
        for start, end in sentence_spans(whole.text):
            text = whole.text[start:end]
            if before == 0:
                piece = replace(whole, text=text, tokens=self._cost(whole.marker + text))
            else:
                gap = "\n" if "\n" in whole.text[before:start] else " "
                depth = whole.depth + (whole.kind is not BlockKind.PROSE)
                piece = BlockPiece(
                    text, whole.block, BlockKind.PROSE, self._cost(text), whole.part, depth, leading_space=gap
                )
            yield from self._cut(piece)
            before = end

    def _cut(self, piece: BlockPiece) -> Iterator[BlockPiece]:
        """`piece`, or if it is too large its parts: by lines for code, by cells for a row, by words for all else."""
        if piece.tokens <= self._limit:
            yield piece
            return
        if piece.cells:
            yield from self._cut_row(piece)
            return
        grain = r"[^\n]*\n?" if piece.kind is BlockKind.CODE else r"\S+\s*"
        marker, space = piece.marker, piece.leading_space
        for text in self._parts(re.findall(grain, piece.text)):
            yield replace(piece, text=text, tokens=self._cost(marker + text), marker=marker, leading_space=space)
            marker, space = "", "\n" if piece.kind is BlockKind.CODE else " "

    def _cut_row(self, piece: BlockPiece) -> Iterator[BlockPiece]:
        """Parts of a row, each with some of its cells, or of one of them."""
        held: list[str] = []
        first, size, space = 0, 0, piece.leading_space
        for column, cell in enumerate(piece.block.cells):
            for number, text in enumerate([*self._parts(re.findall(r"\S+\s*", cell))] or [""]):
                cost = self._cost(text) + 1
                if held and (number or size + cost > self._limit):
                    yield self._row_part(piece, held, first, space)
                    held, size, space = [], 0, "\n"
                first = first if held else column
                held.append(text)
                size += cost
        yield self._row_part(piece, held, first, space)

    def _row_part(self, piece: BlockPiece, cells: Sequence[str], first: int, space: str) -> BlockPiece:
        text = join_cells(cells)
        ends = (*[-1] * first, *cell_ends(cells))
        return replace(piece, text=text, tokens=self._cost(text), leading_space=space, cells=ends)

    def _parts(self, grains: Sequence[str]) -> Iterator[str]:
        """Grains joined up to the limit; a grain that is itself too large is halved until it fits."""
        room = self._limit - 4
        text, size = "", 0
        stack = list(reversed(grains))
        while stack:
            grain = stack.pop()
            cost = self._cost(grain)
            if cost > room:
                stack += [grain[len(grain) // 2 :], grain[: len(grain) // 2]]
                continue
            if text and size + cost > room:
                yield text.rstrip()
                text, size = "", 0
            text, size = text + grain, size + cost
        if text.strip():
            yield text.rstrip()

    def _cost(self, text: str) -> int:
        """Tokens of `text`, which are not counted where its length alone is too much."""
        least = -(-len(text) // _CHARACTERS_PER_TOKEN)
        return least if least > self._limit else max(self._tokenizer.count_tokens(text), least)


def _together(blocks: Sequence[Block], places: Sequence[BlockPosition]) -> Iterator[list[tuple[Block, BlockPosition]]]:
    """Runs of one part."""
    for _, run in groupby(zip(blocks, places, strict=True), key=lambda placed: placed[1].part):
        yield list(run)


def _following(
    runs: Iterable[list[tuple[Block, BlockPosition]]],
) -> Iterator[tuple[list[tuple[Block, BlockPosition]], BlockKind | None]]:
    """Each with the kind that the next one begins with."""
    for run, following in pairwise(chain(runs, (None,))):
        if run is not None:
            yield run, following[0][0].kind if following else None


def _linked(pieces: Iterable[BlockPiece], links: Iterable[Link]) -> Iterator[BlockPiece]:
    """Each piece with those of `links` whose words stand in it; both come in reading order."""
    ahead = deque(link for link in links if len(sentence_spans(link.text)) == 1)
    for piece in pieces:
        found: list[tuple[int, int, str]] = []
        end = 0
        while ahead and (start := piece.text.find(ahead[0].text, end)) >= 0:
            end = start + len(ahead[0].text)
            found.append((start, end, ahead.popleft().url))
        yield replace(piece, links=tuple(found)) if found else piece


def _coded(pieces: Iterable[BlockPiece], block: Block) -> Iterator[BlockPiece]:
    """Each piece with the inline code of its block that stands in it whole; the pieces come in reading order."""
    place = 0
    for piece in pieces:
        start = block.text.find(piece.text, place)
        if start < 0:
            yield piece
            continue
        place = start + len(piece.text)
        inside = ((first - start, last - start) for first, last in block.code if start <= first and last <= place)
        yield replace(piece, code=tuple(inside))
