"""What a flagged passage says to an assistant instead of to its readers."""

from __future__ import annotations

from pipeline.read import layout
from pipeline.screen import addressed_to_assistant
from pipeline.values import RetrievedChunk


def orders(passage: RetrievedChunk) -> frozenset[int]:
    """The units of every paragraph in which an assistant is given orders: what follows one is the order's content.

    Nothing may be said that rests on them. Empty where the document is not flagged: all of it was screened when it was
    indexed."""
    if not passage.document.flagged:
        return frozenset()
    chunk, found = passage.chunk, set[int]()
    start = 0
    for index in range(len(chunk.units)):
        if layout.apart(chunk, index):
            start = index
        if start in found or addressed_to_assistant(layout.text_of(chunk, index), chunk.text):
            found.update(range(start, index + 1))
    return frozenset(found)
