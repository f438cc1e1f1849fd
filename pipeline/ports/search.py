"""Storage and search of documents and their vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.values import Audience, Chunk, Document, SearchHit

Vectors = NDArray[np.float32]
"""Float32 array of shape (n, dimensions), rows of unit length."""


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name that is stored with the vectors: vectors of two names are never mixed."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 as long as only the first run can tell."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts`, units of documents or texts to compare with such, and return their vectors in order. Raises
        Unavailable."""
        ...

    async def embed_question(self, text: str) -> Vectors:
        """Embed a question while its asker waits, to be compared with units; the shape is (dimensions,). Raises
        Unavailable."""
        ...


class Reranker(Protocol):
    """A model that reads question and passage together, to sort passages."""

    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Score how well each of `passages` answers `question`, and return the scores in order: finite, higher is
        better, comparable within one call only. Raises Unavailable, within the time that an asker can wait."""
        ...


class RelevanceScorer(Protocol):
    """A model whose scores of question and passage are comparable between questions."""

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """Score how well each of `texts` answers `question`, and return the scores in order: 0 to 1, comparable
        between questions.

        Returns None where there is no time for it: at once where there is more than can be read, else within the time
        that an asker can wait. Raises Unavailable where it does not work."""
        ...


class Tokenizer(Protocol):
    """The tokenizer of an embedder."""

    def count_tokens(self, text: str) -> int:
        """Return the number of the embedder's tokens in `text`, without special tokens."""
        ...


@dataclass(frozen=True, slots=True)
class UnitVectors:
    """Vectors of the units of several chunks in one matrix, shape (units of all chunks, dimensions)."""

    matrix: Vectors
    rows: Mapping[str, slice]
    """Rows of each chunk by its id, one chunk after the other."""


class LexicalResult(NamedTuple):
    """The result of a lexical search."""

    hits: list[SearchHit]
    """Chunks with any of the words, title included; the score is BM25, higher is better."""
    rarity: dict[str, float]
    """Inverse document frequency of each word that was searched for, as BM25 weighs it, over everything indexed."""


class Index(Protocol):
    """Search within an audience. Everything outside it is left out before ranking."""

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        """Search for the rarest of `terms` (see `text.query_terms`)."""
        ...

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """Return spelling suggestions for each of `words` that no document of `audience` holds: the nearest words that
        these hold, the most frequent first. Words without suggestions are left out."""
        ...

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Return the chunks whose mean vector is nearest to `vector` (shape (dimensions,)); the score is their
        cosine."""
        ...


class Confirmations(Protocol):
    """Passages that people confirmed by rating answers."""

    async def find_similar(self, question: Vectors, audience: Audience) -> Mapping[str, int]:
        """Return the passages that people confirmed as the answer to similar questions, with the number of people, by
        chunk id. `question` is a vector of shape (dimensions,). Only confirmations count whose answer `audience` may
        see completely. Raises Unavailable."""
        ...


class ChunkReader(Protocol):
    """Read access to documents and chunks."""

    async def get_chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return chunks in the order of `chunk_ids`; ids that are gone are left out."""
        ...

    async def get_with_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[tuple[Chunk, Document]], UnitVectors]:
        """Return chunks as `get_chunks` does, with the vectors of each chunk's units in the order of `Chunk.units`; a
        chunk without vectors has no rows."""
        ...

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """Return the chunks before and after in the same document."""
        ...

    async def list_documents(self, audience: Audience | None = None) -> list[Document]:
        """Return the current documents by collection and filename; without an audience, all."""
        ...

    async def changed_since(
        self, since: str, audience: Audience, limit: int
    ) -> tuple[list[tuple[Chunk, Document]], int]:
        """Return the first passages of the documents that last changed (`Document.last_changed`) on `since` or later,
        the newest first, at most `limit`; and the number of such documents."""
        ...


class StagedVersion(Protocol):
    """A document's new version that comes in parts; the old one is served until it is published."""

    existing_ids: Sequence[str]
    """Ids of the chunks that an interrupted run has left of it, in order."""

    async def truncate(self, count: int) -> None:
        """Keep the first `count` of the existing chunks, and no others."""
        ...

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None) -> None:
        """Write the next chunks. Raises Refused when the document was removed meanwhile, or another process has taken
        it over."""
        ...

    async def publish(self, embedder: str) -> None:
        """Replace the old version by this one, as embedded by `embedder`, "" for none. Raises Refused."""
        ...


class DocumentVersion(NamedTuple):
    """A complete version of a document, to be stored."""

    document: Document
    chunks: Sequence[Chunk]
    vectors: Sequence[Vectors] | None
    """The vectors of each chunk's units; None where it is found by words only."""
    embedder: str
    """The name of the embedder that made them; "" for none."""


class DocumentStore(ChunkReader, Protocol):
    """Documents, chunks and versions: the truth that the index is rebuilt from."""

    async def list_collections(self) -> list[str]:
        """Return the names of the collections that hold documents which somebody may see."""
        ...

    async def list_sources(self) -> dict[str, str]:
        """Return every source that was indexed, and the collection that it fills, even without documents."""
        ...

    async def claim(self, source: str, collection: str) -> list[str]:
        """Record that `source` fills `collection`, and move its documents there; return the ids of those that moved.

        Documents that an enclosing source had indexed and that lie in `source` become its own. Text and vectors stay as
        they are."""
        ...

    async def withhold(self, source: str) -> None:
        """Hide the documents of `source` from everybody, until it is claimed again."""
        ...

    async def is_withheld(self, source: str) -> bool:
        """Return whether the documents of `source` are hidden now."""
        ...

    async def versions(self, source: str) -> dict[str, str]:
        """Return the version of each document of `source`, by document id."""
        ...

    async def replace_document(
        self, document: Document, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None, embedder: str
    ) -> None:
        """Replace the document as a whole; its old version is served until the new one is complete."""
        ...

    async def replace_documents(self, versions: Sequence[DocumentVersion]) -> None:
        """Replace documents, each as `replace_document` does; those that were replaced before a failure stay so."""
        ...

    async def stage_version(self, document: Document, embedder: str, dimensions: int) -> StagedVersion:
        """Begin a new version that comes in parts, or take over the parts that an interrupted run left. `dimensions`
        are 0 as long as they are unknown."""
        ...

    async def remove_documents(self, document_ids: Collection[str]) -> int:
        """Remove documents; return how many there were."""
        ...
