"""Many blocks in little memory: a table of 100,000 rows is 20 MB here, and ten times as much as values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from pydantic import TypeAdapter

from pipeline.values import Block

FRAME = 2_000
"""Blocks that are written and read together."""
_ADAPTER = TypeAdapter(list[Block])


def packed(blocks: list[Block]) -> bytes:
    """At most FRAME blocks as one frame."""
    return _ADAPTER.dump_json(blocks, exclude_defaults=True)


class Blocks(Sequence[Block]):
    """Blocks in frames of JSON, all but the last of which hold FRAME. Made to be gone through in order."""

    def __init__(self, frames: Sequence[bytes], count: int) -> None:
        self.frames = tuple(frames)
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Block]:
        for frame in self.frames:
            yield from _ADAPTER.validate_json(frame)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        place = range(self._count)[index]
        return _ADAPTER.validate_json(self.frames[place // FRAME])[place % FRAME]
