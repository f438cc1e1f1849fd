"""What of a passage may be rested on: what it says to its readers, not what it orders an assistant to do."""

from __future__ import annotations

from pipeline.read.orders import orders
from pipeline.screen import addressed_to_assistant
from pipeline.values import RetrievedChunk


def legible(passage: RetrievedChunk, start: int, end: int) -> bool:
    """Whether no unit between two places of a passage is, or is among, orders to an assistant."""
    units = passage.chunk.units
    touched = (place for place, unit in enumerate(units) if unit.start < end and start < unit.end)
    return not any(ordered(passage, place) for place in touched)


def ordered(passage: RetrievedChunk, place: int) -> bool:
    """Whether a unit of a passage is, or is among, orders to an assistant."""
    unit = passage.chunk.units[place]
    return place in orders(passage) or addressed_to_assistant(
        passage.chunk.text[unit.start : unit.end], passage.chunk.text
    )
