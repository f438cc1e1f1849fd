"""Parts of a document: what of it is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.ports import SourceItem, StagedVersion, Vectors
from pipeline.values import Block, Chunk, Document

PART_UNITS = 1024
"""Maximum number of units of a part, and of texts that are embedded together."""
WINDOW_CHARACTERS = 1_000_000
"""Length of a window in characters: less than the screening of a document reads."""
WINDOW_OVERLAP = 10_000
"""Number of characters that two windows share, so that every paragraph is complete in one of them."""


@dataclass(frozen=True)
class DocumentPart:
    """A document on its way to the library, or a part of its chunks."""

    item: SourceItem
    document: Document
    chunks: tuple[Chunk, ...]
    vectors: tuple[Vectors, ...] | None = None
    staged_version: StagedVersion | None = None
    """Version that collects the parts of a long document."""
    is_last: bool = True
    progress: float = 1.0
    """Share of the document that was read so far."""


class CountedBlocks:
    """Blocks with the number of those taken."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = blocks
        self.taken = 0

    def __iter__(self) -> Iterator[Block]:
        for block in self._blocks:
            self.taken += 1
            yield block


def part_batches(chunks: Iterable[Chunk]) -> Iterator[tuple[tuple[Chunk, ...], bool]]:
    """Yield batches of at most `PART_UNITS` units, and whether each is the last."""
    batch: list[Chunk] = []
    units = 0
    for chunk in chunks:
        if batch and units + len(chunk.units) > PART_UNITS:
            yield tuple(batch), False
            batch, units = [], 0
        batch.append(chunk)
        units += len(chunk.units)
    yield tuple(batch), True


async def drop_stored(chunks: Sequence[Chunk], staged: StagedVersion, position: int, last: bool) -> tuple[Chunk, ...]:
    """Return the chunks that are not stored yet; truncate the staged version where it differs from them."""
    stored_ids = staged.existing_ids[position : position + len(chunks)]
    match_count = next(
        (n for n, (chunk, stored_id) in enumerate(zip(chunks, stored_ids, strict=False)) if chunk.id != stored_id),
        len(stored_ids),
    )
    if match_count < len(stored_ids) or (last and len(staged.existing_ids) > position + match_count):
        await staged.truncate(position + match_count)
    return tuple(chunks[match_count:])


def overlapping_windows(
    texts: Iterable[str], length: int = WINDOW_CHARACTERS, overlap: int = WINDOW_OVERLAP
) -> Iterator[str]:
    """Yield all of `texts` in windows, with a line end between each two texts; every run of `overlap` characters is
    complete in one window.

    Raises nothing."""
    pending: list[str] = []
    size = 0
    first = True
    for text in texts:
        pending.append(text)
        size += len(text) + 1
        if size <= length:
            continue
        joined = "\n".join(pending)
        while len(joined) > length:
            yield joined[:length]
            joined, first = joined[length - overlap :], False
        pending, size = [joined], len(joined) + 1
    joined = "\n".join(pending)
    if first or len(joined) > overlap:
        yield joined
