"""What a page shows of a document, around the passage that is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adapters.web.links import CITED, Cited
from adapters.web.source import wording as page
from adapters.web.source.text import Block, Heading, Run, blocks
from adapters.web.source.window import around, shown
from pipeline.translations import Words
from pipeline.values import Chunk, Excerpt
from pipeline.words import wording
from pipeline.words.language import told
from pipeline.words.text import visible

HERE = "here"
"""The fragment that leads to a passage that is opened, but was not cited."""
_DEEPEST = 5
"""The lowest heading that HTML has below that of the page."""


class Passage(NamedTuple):
    place: str
    """Page, sheet and row, where they are others than before."""
    blocks: tuple[Block, ...]
    cited: bool
    anchor: str
    """The fragment that leads to it; empty where the first marked words have it."""


@dataclass(frozen=True, kw_only=True)
class View:
    title: str
    filename: str
    path: tuple[str, ...]
    """The headings that the opened passage stands below."""
    dated: str
    """The day of its last change; empty where it does not say."""
    indexed: str
    flagged: bool
    language: str
    """Of the text; empty where it is not known."""
    passages: tuple[Passage, ...]
    first: int
    """The place in the document of the first passage that is shown; 0-based, as all of them."""
    at: int
    """Of the one that is opened."""
    cited: int
    total: int

    @property
    def last(self) -> int:
        return self.first + len(self.passages) - 1

    def address(self, position: int) -> str:
        """Where the passage at `position` is opened, from here."""
        return f"?at={position}#{CITED if position == self.cited else HERE}"


def view(cited: Cited, found: Excerpt, at: int, words: Words) -> View:
    """The passage at `at`, which is among those `found`, and those around it that there is room for."""
    chunks = around(found.chunks, at)
    opened = next(chunk for chunk in chunks if chunk.position == at)
    document = found.document
    title = visible(document.title or document.filename)
    return View(
        title=title,
        filename=visible(document.filename),
        path=tuple(map(visible, opened.heading)),
        dated=document.dated,
        indexed=f"{found.indexed_at:%Y-%m-%d}" if found.indexed_at else "",
        flagged=document.flagged,
        language=told(opened.text),
        passages=tuple(_passages(chunks, cited, at, title, words)),
        first=chunks[0].position,
        at=at,
        cited=cited.chunk.position,
        total=found.total,
    )


def _passages(chunks: Sequence[Chunk], cited: Cited, at: int, title: str, words: Words) -> Iterator[Passage]:
    begins = min((start for start, _ in cited.spans), default=cited.chunk.overlap)
    place, level = "", 0
    for chunk, start, end in shown(chunks, cited.chunk.position, begins):
        is_cited = chunk.position == cited.chunk.position
        found = list(blocks(chunk, cited.spans if is_cited else (), start=start, end=end))
        if chunk.position == 0 and found[:1] == [Heading((Run(title),), 1)]:  # it stands above the page already
            del found[0]
        for index, block in enumerate(found):
            if isinstance(block, Heading):  # none may be more than one level below the one before
                level = min(block.level, level + 1, _DEEPEST)
                found[index] = replace(block, level=level)
        before, place = place, _place(chunk, words)
        yield Passage(
            place=place if place != before else "",
            blocks=tuple(found),
            cited=is_cited,
            anchor=_anchor(cited) if is_cited else HERE if chunk.position == at else "",
        )


def _anchor(cited: Cited) -> str:
    return "" if cited.spans else CITED


def _place(chunk: Chunk, words: Words) -> str:
    told = []
    if chunk.page is not None:
        told.append(words(wording.PAGE, number=chunk.page))
    if chunk.sheet:
        told.append(words(wording.SHEET, name=visible(chunk.sheet)))
    if chunk.row is not None:
        told.append(words(page.ROW, row=chunk.row))
    return ", ".join(told)
