"""Instructions to an assistant inside a flagged passage, and the units that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.screen import is_assistant_instruction
from pipeline.values import Chunk, RetrievedChunk, Unit, replace
from pipeline.words.text import is_lead_in


def find_instruction_units(passage: RetrievedChunk) -> frozenset[int]:
    """Return the units that instruct an assistant, with the ones they lead in; nothing in an answer may rest on them.
    The other statements of their paragraph stay.

    Empty where the document is not flagged: all of it was screened when it was indexed."""
    if not passage.document.flagged:
        return frozenset()
    chunk, instructions = passage.chunk, set[int]()
    led_in = False
    for paragraph in _paragraphs(chunk):
        led_in = led_in and is_lead_in(chunk.text_at(paragraph.start - 1))
        for index in paragraph:
            text = chunk.text_at(index)
            if led_in or is_assistant_instruction(text, chunk.text):
                instructions.add(index)
                led_in = led_in or is_lead_in(text)
    return frozenset(instructions)


def _paragraphs(chunk: Chunk) -> Iterator[range]:
    """Yield the units between two line breaks."""
    starts = [index for index in range(len(chunk.units)) if chunk.is_on_new_line(index)]
    for start, end in zip(starts, [*starts[1:], len(chunk.units)], strict=True):
        yield range(start, end)


def is_instruction_free(passage: RetrievedChunk, start: int, end: int) -> bool:
    """Tell whether no unit between two offsets of a passage instructs an assistant."""
    units = passage.chunk.units
    touched = (place for place, unit in enumerate(units) if unit.start < end and start < unit.end)
    return not any(is_instruction_unit(passage, place) for place in touched)


def crop_passage(passage: RetrievedChunk, start: int, end: int) -> RetrievedChunk:
    """Return the passage with only its units between two offsets."""
    units = [unit for unit in passage.chunk.units if unit.start < end and start < unit.end]
    first = units[0].start
    moved = tuple(
        Unit(start=unit.start - first, end=unit.end - first, kind=unit.kind, cells=unit.cells) for unit in units
    )
    chunk = replace(passage.chunk, text=passage.chunk.text[first : units[-1].end], units=moved)
    return replace(passage, chunk=chunk)


def is_instruction_unit(passage: RetrievedChunk, place: int) -> bool:
    """Tell whether a unit of a passage instructs an assistant, or is led in by one that does."""
    unit = passage.chunk.units[place]
    return place in find_instruction_units(passage) or is_assistant_instruction(passage.chunk.unit_text(unit))
