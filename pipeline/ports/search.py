"""Where documents and their vectors are kept and found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.values import Audience, Chunk, Document, SearchHit

Vectors = NDArray[np.float32]
"""Shape (n, dimensions), rows of unit length."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Stored with the vectors: vectors of two names are never mixed."""
        ...

    @property
    def dimensions(self) -> int:
        """0 as long as only the first run can tell."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts`, units of documents or what is compared with its like, in order. Raises Unavailable."""
        ...

    async def embed_question(self, text: str) -> Vectors:
        """Embed what someone asks, while they wait, to be compared with units: shape (dimensions,). Raises
        Unavailable."""
        ...


class Reranker(Protocol):
    async def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """How well each of `passages` answers `question`, in their order: finite, the higher the better, comparable
        within one call only. Raises Unavailable, within the time that somebody who asks can wait."""
        ...


class RelevanceScorer(Protocol):
    async def score(self, question: str, stretches: Sequence[str]) -> Sequence[float] | None:
        """How well each of `stretches` answers `question`, in their order: 0 to 1, comparable between questions.

        None where there is no time for it: at once where more is asked for than can be read, else within the time that
        somebody who asks can wait. Raises Unavailable where it does not work."""
        ...


class Tokenizer(Protocol):
    def count_tokens(self, text: str) -> int:
        """How many tokens of the embedder `text` has, special tokens left out."""
        ...


@dataclass(frozen=True, slots=True)
class UnitVectors:
    """Vectors of the units of several chunks in one matrix, shape (units of all, dimensions)."""

    matrix: Vectors
    rows: Mapping[str, slice]
    """Where each chunk's stand, one chunk after the other."""


class LexicalResult(NamedTuple):
    """What a search by words found."""

    hits: list[SearchHit]
    """Chunks holding any of the words, title included; score is BM25, higher is better."""
    rarity: dict[str, float]
    """The inverse document frequency of each word that was searched for, as BM25 weighs it, over everything indexed."""


class Index(Protocol):
    """Search within an audience. What an audience may not see is left out before ranking."""

    async def search_lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> LexicalResult:
        """Search for the rarest of `terms` (see `text.query_terms`)."""
        ...

    async def suggest_words(self, words: Sequence[str], audience: Audience) -> dict[str, list[str]]:
        """For each of `words` that no document of `audience` holds, those it may be a slip of: the nearest that they
        do hold, the most frequent first. Words without any are left out."""
        ...

    async def search_vector(self, vector: Vectors, audience: Audience, limit: int) -> list[SearchHit]:
        """Chunks whose mean vector is nearest to `vector` (shape (dimensions,)); score is cosine."""
        ...


class Confirmations(Protocol):
    async def find_similar(self, question: Vectors, audience: Audience) -> Mapping[str, int]:
        """The passages that people confirmed as the answer to a question like the one with this vector (shape
        (dimensions,)), and how many people did; only where `audience` may see all that they were shown. Raises
        Unavailable."""
        ...


class ChunkReader(Protocol):
    """The reading side of the library."""

    async def get_chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """In the order asked for; ids that are gone are left out."""
        ...

    async def get_with_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[tuple[Chunk, Document]], UnitVectors]:
        """The same with the vectors of each chunk's units, in the order of `Chunk.units`; a chunk without any is left
        out of these."""
        ...

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """The chunks before and after in the same document."""
        ...

    async def list_documents(self, audience: Audience | None = None) -> list[Document]:
        """Current documents by collection and filename; None means all."""
        ...

    async def changed_since(
        self, since: str, audience: Audience, limit: int
    ) -> tuple[list[tuple[Chunk, Document]], int]:
        """The first passages of the documents whose day (`Document.dated`) is `since` or later, the newest first, at
        most `limit`; and how many such documents there are."""
        ...


class StagedVersion(Protocol):
    """A document's new version that comes in parts; the old one serves until it is published."""

    existing_ids: Sequence[str]
    """Ids of the chunks that a run that was cut off has left of it, in order."""

    async def truncate(self, count: int) -> None:
        """Keep the first `count` of those, and no others."""
        ...

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None) -> None:
        """Write the chunks that come next. Raises Refused when the document was removed meanwhile, or another process
        has taken it over."""
        ...

    async def publish(self, embedder: str) -> None:
        """Let it be seen in place of the old version, as embedded by `embedder`, "" for none. Raises Refused."""
        ...


class DocumentStore(ChunkReader, Protocol):
    """Documents, chunks and versions: the truth the index is rebuilt from."""

    async def list_collections(self) -> list[str]:
        """Names of the collections that hold documents which somebody may see."""
        ...

    async def list_sources(self) -> dict[str, str]:
        """Every source that was indexed, and the collection it fills, whether or not documents of it are there."""
        ...

    async def claim(self, source: str, collection: str) -> list[str]:
        """Keep that `source` fills `collection`, and move its documents there; returns the ids of those that moved.

        Those of sources around it that lie in it become its own. Text and vectors stay as they are."""
        ...

    async def withhold(self, source: str) -> None:
        """Let nobody see the documents of `source`, until it is claimed again."""
        ...

    async def is_withheld(self, source: str) -> bool:
        """Whether nobody sees documents of `source` now."""
        ...

    async def versions(self, source: str) -> dict[str, str]:
        """Document id -> version of everything indexed from `source`."""
        ...

    async def replace_document(
        self, document: Document, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None, embedder: str
    ) -> None:
        """Replace the document as a whole; its old version serves until the new one is complete."""
        ...

    async def stage_version(self, document: Document, embedder: str, dimensions: int) -> StagedVersion:
        """Begin a new version that comes in parts, or take over what a run that was cut off left of it. `dimensions`
        are 0 as long as nobody knows them."""
        ...

    async def remove_documents(self, document_ids: Collection[str]) -> int:
        """Forget documents; returns how many were there."""
        ...
