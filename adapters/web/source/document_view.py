"""The view of a document around the opened passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adapters.web.links import CITED_FRAGMENT, LinkTarget
from adapters.web.source import wording as page
from adapters.web.source.blocks import MarkedRun, PassageBlock, PassageHeading, passage_blocks
from adapters.web.source.page_window import fit_passages, trim_overlaps
from pipeline.translations import Translator
from pipeline.values import Chunk, DocumentExcerpt
from pipeline.words import wording
from pipeline.words.language import detect_supported_language
from pipeline.words.text import strip_invisible

OPENED_FRAGMENT = "here"
"""The fragment that leads to a passage that is opened, but was not cited."""
_DEEPEST = 5
"""The lowest heading level that HTML has below the page's own."""


class PassageView(NamedTuple):
    """A passage on the page."""

    place: str
    """Page, sheet and row, where they differ from the passage before."""
    blocks: tuple[PassageBlock, ...]
    cited: bool
    anchor: str
    """The fragment that leads to it; empty where the first marked words have it."""


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """Values of the page that shows a document."""

    title: str
    filename: str
    path: tuple[str, ...]
    """The headings above the opened passage."""
    dated: str
    """The day of its last change, as the document says itself; empty where it does not."""
    indexed: str
    flagged: bool
    language: str
    """Language of the text; empty where it is not known."""
    passages: tuple[PassageView, ...]
    first: int
    """Position in the document of the first passage on the page; 0-based, as all positions."""
    at: int
    """Position of the opened passage."""
    cited: int
    total: int

    @property
    def last(self) -> int:
        return self.first + len(self.passages) - 1

    def address(self, position: int) -> str:
        """Return the relative URL that opens the passage at `position`."""
        return f"?at={position}#{CITED_FRAGMENT if position == self.cited else OPENED_FRAGMENT}"


def make_document_view(cited: LinkTarget, excerpt: DocumentExcerpt, at: int, translator: Translator) -> DocumentView:
    """Return the view of the passage at `at`, which is in `excerpt`, and of as many passages around it as fit."""
    chunks = fit_passages(excerpt.chunks, at)
    opened = next(chunk for chunk in chunks if chunk.position == at)
    document = excerpt.document
    title = strip_invisible(document.title or document.filename)
    return DocumentView(
        title=title,
        filename=strip_invisible(document.filename),
        path=tuple(map(strip_invisible, opened.heading)),
        dated=document.last_changed,
        indexed=f"{excerpt.indexed_at:%Y-%m-%d}" if excerpt.indexed_at else "",
        flagged=document.flagged,
        language=detect_supported_language(opened.text),
        passages=tuple(_build_passages(chunks, cited, at, title, translator)),
        first=chunks[0].position,
        at=at,
        cited=cited.chunk.position,
        total=excerpt.total,
    )


def _build_passages(
    chunks: Sequence[Chunk], cited: LinkTarget, at: int, title: str, translator: Translator
) -> Iterator[PassageView]:
    begins = min((start for start, _ in cited.spans), default=cited.chunk.overlap)
    place, level = "", 0
    for chunk, start, end in trim_overlaps(chunks, cited.chunk.position, begins):
        is_cited = chunk.position == cited.chunk.position
        blocks = list(passage_blocks(chunk, cited.spans if is_cited else (), start=start, end=end))
        if chunk.position == 0 and blocks[:1] == [
            PassageHeading((MarkedRun(title),), 1)
        ]:  # it stands above the page already
            del blocks[0]
        for index, block in enumerate(blocks):
            if isinstance(block, PassageHeading):  # none may be more than one level below the one before
                level = min(block.level, level + 1, _DEEPEST)
                blocks[index] = replace(block, level=level)
        before, place = place, _describe_place(chunk, translator)
        yield PassageView(
            place=place if place != before else "",
            blocks=tuple(blocks),
            cited=is_cited,
            anchor=_anchor(cited) if is_cited else OPENED_FRAGMENT if chunk.position == at else "",
        )


def _anchor(cited: LinkTarget) -> str:
    return "" if cited.spans else CITED_FRAGMENT


def _describe_place(chunk: Chunk, translator: Translator) -> str:
    labels = []
    if chunk.page is not None:
        labels.append(translator(wording.PAGE_LABEL, number=chunk.page))
    if chunk.sheet:
        labels.append(translator(wording.SHEET_LABEL, name=strip_invisible(chunk.sheet)))
    if chunk.row is not None:
        labels.append(translator(page.ROW, row=chunk.row))
    return ", ".join(labels)
