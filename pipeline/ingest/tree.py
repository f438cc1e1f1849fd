"""Pieces -> the tree of a chunk: what each stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.ingest.pieces import Piece
from pipeline.values import BlockKind, is_question
from pipeline.words.text import leads_in

_ENTRIES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_EXPLAINS = frozenset({BlockKind.PROSE, BlockKind.HEADING, *_ENTRIES})
_TITLE = re.compile(r"[^\W\d_a-z][^\d.!?;:。！？：]*(?<![,、])")
"""Begins with a capital (or in a script without them), has no figure, no mark that ends a sentence, and no colon: what
stands behind one is said of what stands before it."""
_TITLE_LENGTH = 80


def kinds(pieces: Sequence[Piece]) -> Iterator[BlockKind]:
    """What each is: of text whose making says nothing of headings, a short line alone above text is one."""
    for index, piece in enumerate(pieces):
        titled = _stands_alone(pieces, index) and not _stands_like_a_title(pieces[index + 1])
        yield BlockKind.HEADING if titled and _stands_like_a_title(piece) else piece.kind


def _stands_alone(pieces: Sequence[Piece], index: int) -> bool:
    """Whether a line break stands before and behind it, and something after that."""
    alone = index == 0 or "\n" in pieces[index].space
    return alone and index + 1 < len(pieces) and "\n" in pieces[index + 1].space


def _stands_like_a_title(piece: Piece) -> bool:
    short = piece.kind is BlockKind.PROSE and len(piece.text) <= _TITLE_LENGTH
    return short and not piece.depth and bool(_TITLE.fullmatch(piece.text))


def parents(pieces: Sequence[Piece], found: Sequence[BlockKind]) -> list[int | None]:
    """`Unit.parent` of each, of the kinds that were `found`."""
    told: list[int | None] = []
    heading: int | None = None
    header: int | None = None
    entries: list[int] = []
    listed, opener = 0, None
    for index, (piece, kind) in enumerate(zip(pieces, found, strict=True)):
        before = index - 1 if index else None
        header = header if kind is BlockKind.ROW and not piece.block.opens else None
        if kind is BlockKind.HEADING:
            heading, parent = index, None
        elif kind is BlockKind.ROW:
            parent = header
        elif kind in _ENTRIES or piece.depth:
            if piece.part != listed and kind is not BlockKind.HEADER:
                listed, opener, entries = piece.part, _opening(pieces, found, before), []
            entries = [entry for entry in entries if pieces[entry].depth < piece.depth]
            parent = entries[-1] if entries else opener
            entries += [index] if kind in _ENTRIES else []
        elif kind is BlockKind.HEADER:
            parent = _opening(pieces, found, before)
        elif kind is BlockKind.CODE:
            together = before is not None and pieces[before].part == piece.part
            parent = told[-1] if together else before if before is not None and found[before] in _EXPLAINS else None
        else:
            parent = heading
            heading = index if is_question(piece.text) else heading
        header = index if kind is BlockKind.HEADER else header
        told.append(parent)
    return told


def _opening(pieces: Sequence[Piece], found: Sequence[BlockKind], before: int | None) -> int | None:
    """What stands right above a list or a table, if it is a heading or leads it in."""
    if before is None:
        return None
    opens = found[before] is BlockKind.HEADING or leads_in(pieces[before].text) or is_question(pieces[before].text)
    return before if opens else None
