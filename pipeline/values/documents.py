"""Documents, the blocks that they are parsed into, and the chunks that a search returns."""

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
    """A run of text of one kind, as a parser returns it."""

    kind: BlockKind
    text: str
    """Plain text. A table row is the `join_cells` of its cells; a step and an item come without their marker."""
    cells: tuple[str, ...] = ()
    """Cells of a row or a header: one text a column, empty ones too."""
    opens: bool = False
    """True for the first row of a table that has no header, whatever stands above."""
    heading: tuple[str, ...] = ()
    """Path of the headings above, outermost first."""
    page: int | None = None
    """1-based page or slide."""
    sheet: str | None = None
    row: int | None = None
    """1-based row of a sheet or CSV file."""
    depth: int = 0
    """Number of list entries that it stands within."""
    number: int = 0
    """Number of a step, as its document counts it; 0 where it does not."""
    anchor: str = ""
    """Fragment of the document's address that leads to the block, as it is on the page (not percent-encoded). The
    anchor of a heading leads to what stands below it, too. A block with an address of its own, on the document's host,
    has the complete address here."""
    links: tuple[Link, ...] = ()
    """Links in the order of their words in `text`; relative to the document's address."""
    code: tuple[tuple[int, int], ...] = ()
    """Start and end of inline code in `text`; ascending."""


PARSER_VERSION = "3"
"""Version of the parsers. It is raised when documents are read otherwise than before, so that they are parsed again."""
LIVE_SOURCE = "live"
"""Source of messages found by a platform's own search: shown in the current answer; only their link is kept."""
_CHANGED = ("updated", "last_updated", "modified", "lastmod", "last_modified", "date")
"""Metadata fields that say when a document was changed, the most reliable first."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
WITHHELD_COLLECTION = "(withheld)"
"""Collection of documents that their source lets nobody read now: no rule can name it, and nobody sees it."""
TAUGHT_SOURCE = "taught"
"""Source of people's replies that were kept as answers."""


class Document(Value):
    """A document in the library, without its text."""

    id: str
    collection: str = "default"
    filename: str
    title: str
    product: str = ""
    document_type: str = ""
    source: str = ""
    """Folder, file or upload that it was indexed from: documents of one source are pruned together."""
    url: str = ""
    """Address that a reader can open, exactly as it may be linked; empty when there is none."""
    version: str = ""
    """`SourceItem.version` of the item that it was parsed from."""
    metadata: dict[str, str] = Field(default_factory=dict)
    flagged: bool = False
    """True where the text holds instructions addressed to an assistant."""
    keys: tuple[str, ...] = ()
    """Kinds of secrets in the text, such as `GitHub token`: for the operator, and never the secret itself."""
    unread: tuple[str, ...] = ()
    """Parts that could not be read, each with its place: `page 3: no text, only a picture`."""
    reading: str = ""
    """`PARSER_VERSION` that parsed it; empty where none did, or one that did not say."""

    @property
    def channel_name(self) -> str:
        """Name of the channel for a thread that was said in one, as `#ops`; else empty. What is said in a channel is a
        collection of its own, and only the names of such collections hold a colon."""
        return self.filename if ":" in self.collection else ""

    @property
    def is_solved(self) -> bool:
        """True for a thread that somebody marked as solved."""
        return bool(self.channel_name) and "solved" in self.metadata

    @property
    def last_changed(self) -> str:
        """Day on which it was last changed or reviewed, by its own metadata: `2026-11-22`; empty where they give
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
    """0 to 1: how well its best part answers by the relevance scorer, which reads question and passage together; None
    where it was not read."""
    query_index: int = 0
    """Index of the plan's query that found it."""
    confirmed: int = 0
    """Number of people who confirmed it for a similar question."""
    confirmation_boost: float = 0.0
    """Part of its score that comes from confirmations: below 0 where others were ranked before it, all of it where it
    would not have been found."""


def exclude_known(passages: Iterable[RetrievedChunk], known: Iterable[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return the passages that are not among `known`, each once, in order."""
    known_ids = {passage.chunk.id for passage in known}
    new: dict[str, RetrievedChunk] = {}
    for passage in passages:
        if passage.chunk.id not in known_ids:
            new.setdefault(passage.chunk.id, passage)
    return list(new.values())


class DocumentExcerpt(Value):
    """A run of passages of one document, in its current version."""

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
