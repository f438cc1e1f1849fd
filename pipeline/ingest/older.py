"""A chunk that was kept before its tree was, with it: read from the marks that indexing wrote into its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.ingest.parts import Parts
from pipeline.ingest.pieces import Piece
from pipeline.ingest.tree import kinds, parents
from pipeline.values import Block, BlockKind, Chunk, replace

_MARKER = re.compile(r"( *)(?:- |(\d+)\. )?\Z")


def with_tree(chunk: Chunk) -> Chunk:
    """`chunk` itself, where it has its tree. Of an older one the lists, tables and code are as they are written; what
    went on in the next chunk is not known."""
    if any(unit.part for unit in chunk.units):
        return chunk
    pieces = list(_pieces(chunk))
    found = list(kinds(pieces))
    units = tuple(
        replace(
            unit,
            kind=kind,
            part=piece.part,
            parent=parent,
            number=piece.number,
            inferred=kind is not piece.kind,
        )
        for unit, kind, piece, parent in zip(chunk.units, found, pieces, parents(pieces, found), strict=True)
    )
    return replace(chunk, units=units)


def _pieces(chunk: Chunk) -> Iterator[Piece]:
    blocks: list[Block] = []
    spaces: list[str] = []
    end = 0
    for unit in chunk.units:
        space, _, line = chunk.text[end : unit.start].rpartition("\n")
        indent, number = found.groups() if (found := _MARKER.match(line)) else ("", None)
        goes_on = bool(blocks) and unit.kind is BlockKind.PROSE and "\n" not in chunk.text[end : unit.start]
        inside = blocks[-1].depth + (blocks[-1].kind is not BlockKind.PROSE) if goes_on else 0
        item = unit.kind is BlockKind.ITEM
        depth = len(indent) // 2 if item else inside
        blocks.append(Block(kind=unit.kind, text=chunk.said(unit), depth=depth, number=int(number or 0)))
        spaces.append(" " if goes_on else f"{space}\n")
        end = unit.end
    part = 0
    for block, space, place in zip(blocks, spaces, Parts().of(blocks), strict=True):
        part = part if space == " " and block.kind is BlockKind.PROSE and part else place.part
        yield Piece(block.text, block, block.kind, 0, part, place.depth, place.number, space=space)
