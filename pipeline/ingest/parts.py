"""Blocks -> parts: which of them are one paragraph, list, table or run of code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.values import Block, BlockKind

_ENTRIES = frozenset({BlockKind.ITEM, BlockKind.STEP})
_TABLE = frozenset({BlockKind.HEADER, BlockKind.ROW})


class Place(NamedTuple):
    """Where a block stands in its document: in which part, in how many entries of a list, as which step."""

    part: int
    depth: int
    number: int


class Parts:
    """Counts the parts of a document, section by section."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, blocks: Sequence[Block], *, goes_on: bool = False) -> list[Place]:
        """The place of each block of a section; where it `goes_on`, rows that come first are of the part before.

        Steps that their document counts on are one list, and what stands between two of them is part of the first."""
        places: list[Place] = []
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
            places.append(Place(part, block.depth, number))
            last = index if number else -1 if block.kind is BlockKind.HEADING else last
        return places


def _next_step(step: int, between: Sequence[Block], block: Block) -> bool:
    """Whether `block` is counted on from `step`; where nothing is counted, only code may stand `between`."""
    uncounted = not block.number and all(one.kind is BlockKind.CODE or _in_list(one) for one in between)
    return block.number == step + 1 or uncounted


def _inside(place: Place, block: Block, part: int) -> Place:
    """What stands between two steps, as a part of the first; a table stays one."""
    return Place(place.part if block.kind in _TABLE else part, max(1, place.depth), 0)


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
