"""A passage, or one unit of it, ready for a claim to be held against it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.ground import Ground
from pipeline.read.orders import orders
from pipeline.screen import addressed_to_assistant
from pipeline.values import BlockKind, Chunk, RetrievedChunk


@dataclass(frozen=True, slots=True)
class Part:
    """Some units of a passage in a row."""

    passage: RetrievedChunk
    ground: Ground
    first: int = 0
    """The place of the ground's first unit in the passage."""

    def ordered(self, place: int) -> bool:
        """Whether the unit at `place` of the ground is, or is among, orders to an assistant."""
        return ordered(self.passage, self.first + place)


def ordered(passage: RetrievedChunk, place: int) -> bool:
    """Whether a unit of a passage is, or is among, orders to an assistant."""
    unit = passage.chunk.units[place]
    return place in orders(passage) or addressed(passage.chunk.text[unit.start : unit.end], passage.chunk.text)


@lru_cache(maxsize=1024)
def addressed(sentence: str, passage: str) -> bool:
    """`addressed_to_assistant`, remembered: the sentences that are chosen are asked about more than once."""
    return addressed_to_assistant(sentence, passage)


def whole(passage: RetrievedChunk) -> Part:
    """All of a passage; its index is kept for the passages of the last answers."""
    chunk = passage.chunk
    around = " ".join((passage.document.title, *chunk.heading))
    units = tuple((unit.start, unit.end) for unit in chunk.units)
    return Part(passage, _indexed(chunk.text, units, around, _headers(chunk)))


def single(passage: RetrievedChunk, place: int) -> Part:
    """One unit of a passage, with what stands above it: title, headings, the header of its table."""
    ground, chunk = whole(passage).ground, passage.chunk
    sentence, header = ground.sentence(place), ground.headers[place]
    around = " ".join((passage.document.title, *chunk.heading, header))
    return Part(passage, _indexed(sentence, ((0, len(sentence)),), around, (header,)), place)


@lru_cache(maxsize=256)
def _indexed(text: str, units: tuple[tuple[int, int], ...], around: str, headers: tuple[str, ...]) -> Ground:
    return Ground(text, units, around, headers)


def _headers(chunk: Chunk) -> tuple[str, ...]:
    """For each unit the header row of the table it is a row of."""
    found, header = [], ""
    for unit in chunk.units:
        if unit.kind is BlockKind.HEADER:
            header = chunk.text[unit.start : unit.end]
        elif unit.kind is BlockKind.HEADING:
            header = ""
        found.append(header if unit.kind is BlockKind.ROW else "")
    return tuple(found)
