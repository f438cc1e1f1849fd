"""From blocks to pieces: the units of text that chunks are filled with, in groups that belong together."""

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
    """The position of a block in its document: its part, its depth in a list, its number as a step."""

    part: int
    depth: int
    number: int


class PartCounter:
    """A counter of the parts of a document, section by section."""

    def __init__(self) -> None:
        self._count = 0

    def positions(self, blocks: Sequence[Block], *, goes_on: bool = False) -> list[BlockPosition]:
        """Return the position of each block of a section; where it `goes_on`, rows that come first belong to the part
        before.

        Steps with consecutive numbers are one list, and the blocks between two of them are part of the first."""
        places: list[BlockPosition] = []
        kind: BlockKind | None = None
        list_part, last = 0, -1
        for index, block in enumerate(blocks):
            before = blocks[index - 1] if index else None
            step = places[last].number if last >= 0 else 0
            if block.kind is BlockKind.STEP and last >= 0 and _is_next_step(step, blocks[last + 1 : index], block):
                part = list_part = places[last].part
                places[last + 1 :] = [
                    _position_between_steps(place, blocks[n], part)
                    for n, place in enumerate(places[last + 1 :], last + 1)
                ]
            elif _in_list(block) and before and _in_list(before) and _is_same_list(block, kind):
                part = list_part
            elif _is_same_run(before, block) or (
                goes_on and not index and block.kind is BlockKind.ROW and not block.opens
            ):
                part = places[-1].part if places else self._count
            else:
                self._count += 1
                part, step = self._count, 0
                list_part = part if _in_list(block) else list_part
            kind = block.kind if block.kind in _ENTRIES and not block.depth else kind
            number = block.number or step + 1 if block.kind is BlockKind.STEP else 0
            places.append(BlockPosition(part, block.depth, number))
            last = index if number else -1 if block.kind is BlockKind.HEADING else last
        return places


def _is_next_step(step: int, between: Sequence[Block], block: Block) -> bool:
    """Tell whether `block` is the next step after number `step`; where nothing is numbered, only code and lists may
    stand `between`."""
    uncounted = not block.number and all(
        block_between.kind is BlockKind.CODE or _in_list(block_between) for block_between in between
    )
    return block.number == step + 1 or uncounted


def _position_between_steps(place: BlockPosition, block: Block, part: int) -> BlockPosition:
    """Return the position of a block between two steps, as a part of the first; a table stays one."""
    return BlockPosition(place.part if block.kind in _TABLE else part, max(1, place.depth), 0)


def _in_list(block: Block) -> bool:
    return block.kind in _ENTRIES or block.depth > 0


def _is_same_list(block: Block, kind: BlockKind | None) -> bool:
    """Tell whether an entry may belong to a list of entries of that `kind`."""
    if block.depth:
        return block.kind not in _TABLE
    return kind is block.kind and not (block.kind is BlockKind.STEP and block.number)


def _is_same_run(before: Block | None, block: Block) -> bool:
    """Tell whether rows are of one table, or two blocks of code follow each other."""
    if before is None:
        return False
    rows = block.kind is BlockKind.ROW and before.kind in _TABLE and not block.opens
    return rows or (block.kind is before.kind is BlockKind.CODE and not (block.depth or before.depth))


# --- Pieces ---------------------------------------------------------------------------------------

LONG_ITEM = 120
"""Number of tokens above which a list item is split into sentences."""
MAX_LIST_DEPTH = 4
"""Number of levels of nested lists that are distinguished; a marker is indented by two blanks a level."""
_CHARACTERS_PER_TOKEN = 10
"""Maximum number of characters that a token counts for: a word that a tokenizer gives up on keeps its true size."""
_MAX_SECTION_BLOCKS = 2_000
"""Number of blocks from which a section comes in parts, cut between paragraphs or in a table of at least as many
rows."""
LONG_TABLE = 1_000
"""Number of rows above which a table is a long one."""
_LISTS = frozenset({BlockKind.ITEM, BlockKind.STEP})
_LED_IN = _LISTS | _TABLE | {BlockKind.CODE}


@dataclass(frozen=True)
class BlockPiece:
    """One unit without a position yet: with its marker and the white space before that."""

    text: str
    block: Block
    kind: BlockKind
    tokens: int
    """Tokens, the marker included."""
    part: int
    """`Unit.part`."""
    depth: int
    """Number of entries of its list that enclose it."""
    number: int = 0
    marker: str = ""
    leading_space: str = "\n\n"
    links: tuple[tuple[int, int, str], ...] = ()
    """Start and end of linked words in `text`, and their address."""
    cells: tuple[int, ...] = ()
    """`Unit.cells`."""
    code: tuple[tuple[int, int], ...] = ()
    """Start and end of inline code in `text`."""


@dataclass(frozen=True)
class PieceGroup:
    """A paragraph, list, table or code block."""

    pieces: tuple[BlockPiece, ...]
    keep_together: bool
    """True where it is worth a chunk of its own rather than being cut."""
    repeated_opening: tuple[BlockPiece, ...] = ()
    """Opening of each later part: the header row of a table, the lead-in of a list."""
    is_continued: bool = False
    """True where its first rows came before."""

    @property
    def is_long_table(self) -> bool:
        """True where it is rows of a long table."""
        return self.is_continued or (self.pieces[-1].kind is BlockKind.ROW and len(self.pieces) > LONG_TABLE)

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


@dataclass(frozen=True)
class HeadingSection:
    """Headings and the text under them, up to the next heading, or a part of that."""

    heading_path: tuple[str, ...]
    groups: tuple[PieceGroup, ...]
    is_continued: bool = False
    """True where it continues the section before."""

    @property
    def tokens(self) -> int:
        return sum(group.tokens for group in self.groups)


def build_sections(blocks: Iterable[Block], tokenizer: Tokenizer, limit: int) -> Iterator[HeadingSection]:
    """Yield sections lazily in reading order; no piece has more than `limit` tokens. Raises what the tokenizer
    raises."""
    cutter = _Cutter(tokenizer, limit)
    header: Block | None = None
    for section_blocks, goes_on in _split_sections(blocks):
        first_content = next((block for block in section_blocks if block.kind is not BlockKind.HEADING), None)
        path = first_content.heading if first_content else (*section_blocks[-1].heading, section_blocks[-1].text)
        yield HeadingSection(path, tuple(cutter.groups(section_blocks, goes_on=goes_on, header=header)), goes_on)
        for block in section_blocks:
            is_inner_row = block.kind is BlockKind.ROW and not block.opens
            header = block if block.kind is BlockKind.HEADER else header if is_inner_row else None


def _split_sections(blocks: Iterable[Block]) -> Iterator[tuple[list[Block], bool]]:
    """Yield the blocks of each section, or of a part of it, and whether that continues the section before."""
    section_blocks: list[Block] = []
    goes_on = False
    rows = 0
    for block in blocks:
        starts_section = bool(section_blocks) and _starts_section(section_blocks[-1], block)
        if starts_section or (
            len(section_blocks) >= _MAX_SECTION_BLOCKS
            and (rows >= _MAX_SECTION_BLOCKS or _are_separate_paragraphs(section_blocks[-1], block))
        ):
            yield section_blocks, goes_on
            section_blocks, goes_on = [], not starts_section
        section_blocks.append(block)
        rows = rows + 1 if block.kind is BlockKind.ROW else 0
    if section_blocks:
        yield section_blocks, goes_on


def _starts_section(before: Block, block: Block) -> bool:
    """Tell whether a heading follows something else, or the path or sheet changes without one."""
    if block.kind is BlockKind.HEADING:
        return before.kind is not BlockKind.HEADING
    return before.kind is not BlockKind.HEADING and (block.heading, block.sheet) != (before.heading, before.sheet)


def _are_separate_paragraphs(before: Block, block: Block) -> bool:
    """Tell whether two blocks are independent paragraphs."""
    return block.kind is before.kind is BlockKind.PROSE and not before.text.endswith((":", "："))


class _Cutter:
    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._part_counter = PartCounter()

    def groups(self, blocks: Sequence[Block], *, goes_on: bool, header: Block | None) -> Iterator[PieceGroup]:
        """Yield the parts of a section, each list, table and run of code with its lead-in.

        Where it `goes_on`, rows that come first belong to the table before, which has this `header`."""
        lead: tuple[BlockPiece, ...] = ()
        places = self._part_counter.positions(blocks, goes_on=goes_on)
        for run, following in _with_following_kind(_group_by_part(blocks, places)):
            first = run[0][0]
            continues_table = goes_on and first is blocks[0] and first.kind is BlockKind.ROW and not first.opens
            pieces: list[BlockPiece] = []
            for block, place in run:
                pieces.extend(self._pieces(block, place, "\n" if pieces or lead or continues_table else "\n\n"))
            if following in _LED_IN and first.kind is BlockKind.PROSE and first.text.endswith((":", "：")):
                if pieces[:-1]:
                    yield PieceGroup(tuple(pieces[:-1]), keep_together=False)
                lead = (pieces[-1],)
                continue
            above = tuple(pieces[:1]) if first.kind is BlockKind.HEADER else ()
            if continues_table and header:
                above = tuple(self._pieces(header, run[0][1], "\n\n"))[:1]
            repeated = above or (lead if first.kind in _LISTS else ())
            yield PieceGroup((*lead, *pieces), first.kind in _LED_IN, repeated, continues_table)
            lead = ()

    def _pieces(self, block: Block, place: BlockPosition, space: str) -> Iterator[BlockPiece]:
        indent = "  " * min(block.depth, MAX_LIST_DEPTH)
        item, prose = block.kind is BlockKind.ITEM, block.kind is BlockKind.PROSE
        marker = f"{indent}- " if item else f"{place.number}. " if block.kind is BlockKind.STEP else ""
        tokens = 0 if prose else self._count_tokens(marker + block.text)
        piece = BlockPiece(block.text, block, block.kind, tokens, *place, marker, space, cells=cell_ends(block.cells))
        cut = self._split_sentences if prose or (block.kind in _LISTS and tokens > LONG_ITEM) else self._cut
        pieces = _with_code(cut(piece), block) if block.code else cut(piece)
        yield from _with_links(pieces, block.links) if block.links else pieces

    def _split_sentences(self, block_piece: BlockPiece) -> Iterator[BlockPiece]:
        """Yield the sentences: the first one keeps kind and marker; the others are prose."""
        before = 0
        for start, end in sentence_spans(block_piece.text):
            text = block_piece.text[start:end]
            if before == 0:
                piece = replace(block_piece, text=text, tokens=self._count_tokens(block_piece.marker + text))
            else:
                gap = "\n" if "\n" in block_piece.text[before:start] else " "
                depth = block_piece.depth + (block_piece.kind is not BlockKind.PROSE)
                piece = BlockPiece(
                    text,
                    block_piece.block,
                    BlockKind.PROSE,
                    self._count_tokens(text),
                    block_piece.part,
                    depth,
                    leading_space=gap,
                )
            yield from self._cut(piece)
            before = end

    def _cut(self, piece: BlockPiece) -> Iterator[BlockPiece]:
        """Yield `piece`, or if it is too large its parts: lines of code, cells of a row, words of anything else."""
        if piece.tokens <= self._limit:
            yield piece
            return
        if piece.cells:
            yield from self._cut_row(piece)
            return
        grain = r"[^\n]*\n?" if piece.kind is BlockKind.CODE else r"\S+\s*"
        marker, space = piece.marker, piece.leading_space
        for text in self._join_grains(re.findall(grain, piece.text)):
            yield replace(
                piece, text=text, tokens=self._count_tokens(marker + text), marker=marker, leading_space=space
            )
            marker, space = "", "\n" if piece.kind is BlockKind.CODE else " "

    def _cut_row(self, piece: BlockPiece) -> Iterator[BlockPiece]:
        """Yield parts of a row, each with some of its cells, or with a part of one."""
        cells: list[str] = []
        first, size, space = 0, 0, piece.leading_space
        for column, cell in enumerate(piece.block.cells):
            for number, text in enumerate([*self._join_grains(re.findall(r"\S+\s*", cell))] or [""]):
                cost = self._count_tokens(text) + 1
                if cells and (number or size + cost > self._limit):
                    yield self._row_part(piece, cells, first, space)
                    cells, size, space = [], 0, "\n"
                first = first if cells else column
                cells.append(text)
                size += cost
        yield self._row_part(piece, cells, first, space)

    def _row_part(self, piece: BlockPiece, cells: Sequence[str], first: int, space: str) -> BlockPiece:
        text = join_cells(cells)
        ends = (*[-1] * first, *cell_ends(cells))
        return replace(piece, text=text, tokens=self._count_tokens(text), leading_space=space, cells=ends)

    def _join_grains(self, grains: Sequence[str]) -> Iterator[str]:
        """Join grains up to the limit; a grain that is itself too large is halved until it fits."""
        room = self._limit - 4
        text, size = "", 0
        stack = list(reversed(grains))
        while stack:
            grain = stack.pop()
            cost = self._count_tokens(grain)
            if cost > room:
                stack += [grain[len(grain) // 2 :], grain[: len(grain) // 2]]
                continue
            if text and size + cost > room:
                yield text.rstrip()
                text, size = "", 0
            text, size = text + grain, size + cost
        if text.strip():
            yield text.rstrip()

    def _count_tokens(self, text: str) -> int:
        """Return the tokens of `text`; they are not counted where its length alone is too much."""
        minimum = -(-len(text) // _CHARACTERS_PER_TOKEN)
        return minimum if minimum > self._limit else max(self._tokenizer.count_tokens(text), minimum)


def _group_by_part(
    blocks: Sequence[Block], places: Sequence[BlockPosition]
) -> Iterator[list[tuple[Block, BlockPosition]]]:
    """Group blocks and positions by part."""
    for _, run in groupby(zip(blocks, places, strict=True), key=lambda placed: placed[1].part):
        yield list(run)


def _with_following_kind(
    runs: Iterable[list[tuple[Block, BlockPosition]]],
) -> Iterator[tuple[list[tuple[Block, BlockPosition]], BlockKind | None]]:
    """Yield each run with the kind of the block that begins the next one."""
    for run, following in pairwise(chain(runs, (None,))):
        if run is not None:
            yield run, following[0][0].kind if following else None


def _with_links(pieces: Iterable[BlockPiece], links: Iterable[Link]) -> Iterator[BlockPiece]:
    """Yield each piece with those of `links` whose words stand in it; both come in reading order."""
    ahead = deque(link for link in links if len(sentence_spans(link.text)) == 1)
    for piece in pieces:
        spans: list[tuple[int, int, str]] = []
        end = 0
        while ahead and (start := piece.text.find(ahead[0].text, end)) >= 0:
            end = start + len(ahead[0].text)
            spans.append((start, end, ahead.popleft().url))
        yield replace(piece, links=tuple(spans)) if spans else piece


def _with_code(pieces: Iterable[BlockPiece], block: Block) -> Iterator[BlockPiece]:
    """Yield each piece with the complete inline code of its block in it; the pieces come in reading order."""
    place = 0
    for piece in pieces:
        start = block.text.find(piece.text, place)
        if start < 0:
            yield piece
            continue
        place = start + len(piece.text)
        inside = ((first - start, last - start) for first, last in block.code if start <= first and last <= place)
        yield replace(piece, code=tuple(inside))
