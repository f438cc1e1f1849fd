"""What of a passage may be rested on: what it says to its readers, not what it orders an assistant to do."""

from __future__ import annotations

from pipeline.read.orders import orders
from pipeline.screen import addressed_to_assistant
from pipeline.values import RetrievedChunk, Unit, replace


def legible(passage: RetrievedChunk, start: int, end: int) -> bool:
    """Whether no unit between two places of a passage is, or is among, orders to an assistant."""
    units = passage.chunk.units
    touched = (place for place, unit in enumerate(units) if unit.start < end and start < unit.end)
    return not any(ordered(passage, place) for place in touched)


def around(passage: RetrievedChunk, start: int, end: int) -> RetrievedChunk:
    """The passage with no more than its units between two places."""
    units = [unit for unit in passage.chunk.units if unit.start < end and start < unit.end]
    first = units[0].start
    moved = tuple(
        Unit(start=unit.start - first, end=unit.end - first, kind=unit.kind, cells=unit.cells) for unit in units
    )
    chunk = replace(passage.chunk, text=passage.chunk.text[first : units[-1].end], units=moved)
    return replace(passage, chunk=chunk)


def ordered(passage: RetrievedChunk, place: int) -> bool:
    """Whether a unit of a passage is, or is among, orders to an assistant."""
    unit = passage.chunk.units[place]
    return place in orders(passage) or addressed_to_assistant(passage.chunk.said(unit))
