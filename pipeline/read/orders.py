"""What a flagged passage says to an assistant instead of to its readers."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.screen import addressed_to_assistant
from pipeline.values import Chunk, RetrievedChunk
from pipeline.words.text import leads_in


def orders(passage: RetrievedChunk) -> frozenset[int]:
    """The units that give an assistant orders, with what they lead in: nothing may be said that rests on them. What
    their paragraph states stays.

    Empty where the document is not flagged: all of it was screened when it was indexed."""
    if not passage.document.flagged:
        return frozenset()
    chunk, found = passage.chunk, set[int]()
    led_in = False
    for paragraph in _paragraphs(chunk):
        led_in = led_in and leads_in(chunk.text_of(paragraph.start - 1))
        for index in paragraph:
            text = chunk.text_of(index)
            if led_in or addressed_to_assistant(text, chunk.text):
                found.add(index)
                led_in = led_in or leads_in(text)
    return frozenset(found)


def _paragraphs(chunk: Chunk) -> Iterator[range]:
    """The units between two line breaks."""
    starts = [index for index in range(len(chunk.units)) if chunk.apart(index)]
    for start, end in zip(starts, [*starts[1:], len(chunk.units)], strict=True):
        yield range(start, end)
