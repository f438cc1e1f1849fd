"""Documents, the chunks they are cut into, and the chunks that a search found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import Field, SkipValidation

from pipeline.values.base import Value
from pipeline.values.chunks import BlockKind, Chunk


class Link(Value):
    """Words of a text, and the address that they lead to."""

    text: str
    url: str


class Block(Value):
    """A run of text of one kind, as a parser found it."""

    kind: BlockKind
    text: str
    """Plain text. A table row is the `join_cells` of its cells; a step and an item come without their marker."""
    cells: tuple[str, ...] = ()
    """Of a row or a header: one text a column, empty ones too."""
    opens: bool = False
    """Of a row: the first of a table that has no header, whatever stands above."""
    heading: tuple[str, ...] = ()
    """The path of headings above, outermost first."""
    page: int | None = None
    """1-based page or slide."""
    sheet: str | None = None
    row: int | None = None
    """1-based row of a sheet or CSV file."""
    depth: int = 0
    """How many entries of lists it stands within."""
    number: int = 0
    """Of a step, as its document counts it; 0 where it does not."""
    anchor: str = ""
    """The fragment of the document's address that leads to the block, as it is on the page (not percent-encoded). That
    of a heading leads to what stands below it, too. What has an address of its own, on the document's host, has that
    here, whole."""
    links: tuple[Link, ...] = ()
    """In the order of their words in `text`; relative to the document's address."""
    code: tuple[tuple[int, int], ...] = ()
    """Where inline code starts and ends in `text`; ascending."""


PARSER_VERSION = "3"
"""Counted on where documents are read otherwise than before, so that those of an earlier reading are due again."""
LIVE_SOURCE = "live"
"""The source of what a platform's own search found: shown in the answer at hand, and kept nowhere but for its link."""
_CHANGED = ("updated", "last_updated", "modified", "lastmod", "last_modified", "date")
"""Fields of its metadata that say when a document was changed, the surest first."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
WITHHELD_COLLECTION = "(withheld)"
"""The collection of what its source lets nobody read now: no rule can name it, and nobody sees it."""
TAUGHT_SOURCE = "taught"
"""The source of people's replies that were kept as answers."""


class Document(Value):
    id: str
    collection: str = "default"
    filename: str
    title: str
    product: str = ""
    document_type: str = ""
    source: str = ""
    """What it was indexed from (a folder, a file, an upload): documents of one source are pruned together."""
    url: str = ""
    """The address a reader can open, exactly as it may be linked; empty when there is none."""
    version: str = ""
    """`SourceItem.version` of what was parsed."""
    metadata: dict[str, str] = Field(default_factory=dict)
    flagged: bool = False
    """The text holds instructions addressed to an assistant."""
    keys: tuple[str, ...] = ()
    """What it holds that opens something, such as `GitHub token`: for the operator, and never the key itself."""
    unread: tuple[str, ...] = ()
    """What of it was there and could not be read, each with its place: `page 3: no text, only a picture`."""
    reading: str = ""
    """`READING` of the version that read it; empty where none read it, or one that did not say."""

    @property
    def channel_name(self) -> str:
        """The channel that it was said in, as `#ops`; empty where it is no thread: what was said in a channel is a
        collection of its own, which no other is called like."""
        return self.filename if ":" in self.collection else ""

    @property
    def is_solved(self) -> bool:
        """It is a thread that somebody marked as solved."""
        return bool(self.channel_name) and "solved" in self.metadata

    @property
    def last_changed(self) -> str:
        """The day on which it was last changed or reviewed, as it says itself: `2026-11-22`; empty where it says
        none."""
        days = {name: day.group() for name, value in self.metadata.items() if (day := _DAY.match(value))}
        return max(next((days[name] for name in _CHANGED if name in days), ""), days.get("reviewed", ""))


class ParsedDocument(Value):
    """A document and its blocks in reading order."""

    document: Document
    blocks: SkipValidation[Sequence[Block]]


class RetrievedChunk(Value):
    """A passage: a chunk with its document and how well it fits the question."""

    chunk: Chunk
    document: Document
    score: float
    """0 to 1, calibrated: comparable between questions."""
    unit_scores: tuple[float, ...] = ()
    """Cosine of each unit with the question; empty when there are no vectors."""
    relevance: float | None = None
    """0 to 1: how well a second reader, of question and passage together, thinks that its best stretch answers; None
    where it was not read."""
    query_index: int = 0
    """Which of the plan's queries found it."""
    confirmed: int = 0
    """How many people confirmed it for a question like this one."""
    confirmation_boost: float = 0.0
    """What its score has of that: below 0 where others came before it, all of it where it would not be there else."""


def exclude_known(passages: Iterable[RetrievedChunk], known: Iterable[RetrievedChunk]) -> list[RetrievedChunk]:
    """Of `passages` those that are not `known`, each once, in their order."""
    there = {passage.chunk.id for passage in known}
    found: dict[str, RetrievedChunk] = {}
    for passage in passages:
        if passage.chunk.id not in there:
            found.setdefault(passage.chunk.id, passage)
    return list(found.values())


class DocumentExcerpt(Value):
    """A run of passages of one document, as it is now."""

    document: Document
    chunks: tuple[Chunk, ...]
    """In order; `Chunk.position` says where each stands."""
    total: int
    """How many passages the document has."""
    indexed_at: datetime | None = None
    """When this version was read."""


class SearchHit(NamedTuple):
    """A chunk id with a retriever's own score, best first and not comparable between retrievers."""

    chunk_id: str
    score: float
