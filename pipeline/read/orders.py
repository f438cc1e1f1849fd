"""What a flagged passage says to an assistant instead of to its readers."""

from __future__ import annotations

from pipeline.read import layout
from pipeline.screen import addressed_to_assistant
from pipeline.values import RetrievedChunk


def orders(passage: RetrievedChunk) -> frozenset[int]:
    """The units that give an assistant orders, each with what it leads in: nothing may be said that rests on them.

    Empty where the document is not flagged: all of it was screened when it was indexed."""
    if not passage.document.flagged:
        return frozenset()
    chunk, found = passage.chunk, set[int]()
    led_in = False
    for index in range(len(chunk.units)):
        text = layout.text_of(chunk, index)
        led_in = led_in and (layout.leads_in(layout.text_of(chunk, index - 1)) or not layout.apart(chunk, index))
        if led_in or addressed_to_assistant(text, chunk.text):
            found.add(index)
            led_in = led_in or layout.leads_in(text)
    return frozenset(found)
