"""Which address inside its document leads to each block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.values import Block, BlockKind


def with_anchors(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks; one without an anchor has that of the nearest heading above that has one."""
    of_headings: dict[tuple[str, ...], str] = {}
    for block in blocks:
        path = block.heading
        if block.kind is BlockKind.HEADING:
            path = (*path, block.text)
            of_headings[path] = block.anchor
        above = (of_headings.get(path[:depth], "") for depth in range(len(path), 0, -1))
        anchor = block.anchor or next(filter(None, above), "")
        yield block if anchor == block.anchor else block.model_copy(update={"anchor": anchor})
