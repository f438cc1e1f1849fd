"""What the pipeline needs from the outside, and what the outside may ask of it.

Every method may be called from any task. Stores raise `Unavailable` when their file or server cannot be
reached and nothing else on purpose.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from pipeline.values import (
    Answer,
    Audience,
    Brief,
    Chunk,
    Conversation,
    ConversationId,
    Document,
    Event,
    Finished,
    Hit,
    IncomingMessage,
    Parsed,
    Preferences,
    Rating,
    Readers,
    RetrievedChunk,
    Sentence,
    Turn,
    Usage,
    Value,
    Work,
)

Vectors = NDArray[np.float32]
"""Shape (n, dimensions), rows of unit length."""
T = TypeVar("T", bound=BaseModel)


# --- Language models -------------------------------------------------------------------------


class ChatMessage(Value):
    role: Literal["system", "user", "assistant"]
    content: str


class TextDelta(Value):
    text: str


class StreamEnd(Value):
    """How a model stopped: `stop`, `length`, `content_filter`, or "" when the stream was cut."""

    reason: str
    input_tokens: int = 0
    output_tokens: int = 0


class LanguageModel(Protocol):
    """One model of one provider. Makes one request a call, and another one only without a parameter that the server
    refused by name; deadlines and retries are the caller's."""

    name: str

    async def connect(self) -> None:
        """Get ready now rather than at the first call, while someone waits; sends nothing."""
        ...

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[TextDelta | StreamEnd]:
        """Yield text as it arrives, then one StreamEnd. Raises Unavailable or Unusable."""
        ...

    async def structured(self, messages: Sequence[ChatMessage], into: type[T], *, max_tokens: int) -> tuple[T, Usage]:
        """Fill in `into`. Raises Unavailable or Unusable."""
        ...

    async def close(self) -> None: ...


class Writer(Protocol):
    def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncIterator[Sentence | Finished]:
        """Draft an answer sentence by sentence, then one Finished. Raises Unavailable or Unusable."""
        ...


class TokenLedger(Protocol):
    """How many tokens each subject (a person, a space) used on a day. What is older than the day asked about may go."""

    async def reserve(self, limits: Mapping[str, int], tokens: int, day: date) -> bool:
        """Count `tokens` for every subject, at once; False, and nothing counted, if any would pass its limit."""
        ...

    async def adjust(self, subjects: Collection[str], tokens: int, day: date) -> None:
        """Add `tokens`, which may be negative, to what each subject used on `day`."""
        ...


# --- Search ----------------------------------------------------------------------------------


class Embedder(Protocol):
    name: str
    """Stored with the vectors: vectors of two names are never mixed."""
    dimensions: int

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts`, in order. Raises Unavailable."""
        ...


class Tokenizer(Protocol):
    def count(self, text: str) -> int:
        """How many tokens of the embedder `text` has, special tokens left out."""
        ...


@dataclass(frozen=True, slots=True)
class UnitVectors:
    """Vectors of the units of several chunks in one matrix, shape (units of all, dimensions)."""

    matrix: Vectors
    rows: Mapping[str, slice]
    """Where each chunk's stand, one chunk after the other."""


class Index(Protocol):
    """Search within an audience. What an audience may not see is left out before ranking."""

    async def lexical(self, terms: Sequence[str], audience: Audience, limit: int) -> list[Hit]:
        """Chunks holding any of `terms` (see `text.query_terms`), title included; score is BM25, higher is better."""
        ...

    async def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each of `terms`, as BM25 weighs it, over everything that is indexed."""
        ...

    async def nearest(self, vector: Vectors, audience: Audience, limit: int) -> list[Hit]:
        """Chunks whose mean vector is nearest to `vector` (shape (dimensions,)); score is cosine."""
        ...

    async def unit_vectors(self, chunk_ids: Sequence[str]) -> UnitVectors:
        """Vectors of each chunk's units, in the order of `Chunk.units`. What is unknown or has none is left out."""
        ...


class Passages(Protocol):
    """The reading side of the library."""

    async def chunks(self, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """In the order asked for; ids that are gone are left out."""
        ...

    async def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """The chunks before and after in the same document."""
        ...

    async def documents(self, audience: Audience | None = None) -> list[Document]:
        """Current documents by collection and filename; None means all."""
        ...

    async def empty(self, audience: Audience | None = None) -> bool:
        """Whether there is no document."""
        ...


class Library(Passages, Protocol):
    """Documents, chunks and versions: the truth the index is rebuilt from."""

    async def collections(self) -> list[str]:
        """Names of the collections that hold documents."""
        ...

    async def sources(self) -> dict[str, str]:
        """Every source that was indexed, and the collection it fills, whether or not documents of it are there."""
        ...

    async def claim(self, source: str, collection: str) -> list[str]:
        """Keep that `source` fills `collection`, and move its documents there; returns the ids of those that moved.

        Those of sources around it that lie in it become its own. Text and vectors stay as they are."""
        ...

    async def versions(self, source: str) -> dict[str, str]:
        """Document id -> version of everything indexed from `source`."""
        ...

    async def put(
        self, document: Document, chunks: Sequence[Chunk], vectors: Sequence[Vectors] | None, embedder: str
    ) -> None:
        """Replace the document as a whole; its old version serves until the new one is complete."""
        ...

    async def remove(self, document_ids: Collection[str]) -> int:
        """Forget documents; returns how many were there."""
        ...


# --- Documents coming in ---------------------------------------------------------------------


class SourceItem(Value):
    """One document a source offers, before it is parsed."""

    id: str
    """Document id, stable between runs."""
    label: str
    """What a person calls it: a path, a title."""
    version: str
    """SHA-256 of the content."""


class DocumentSource(Protocol):
    name: str
    """Documents of one source are pruned together."""

    def items(self) -> AsyncIterator[SourceItem]:
        """Everything there is, cheaply."""
        ...

    async def parse(self, item: SourceItem) -> Parsed:
        """Raises Refused with the reason, in words, when the document cannot be read."""
        ...


# --- Conversations ---------------------------------------------------------------------------


class HistoryStore(Protocol):
    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """The last `limit` turns, oldest first."""
        ...

    async def record(self, conversation: ConversationId, turn: Turn) -> None: ...


class Inbox(Protocol):
    """Messages that must be answered. A row is durable once the call has returned."""

    async def accept(self, message: IncomingMessage) -> bool:
        """Keep `message`; False when its key is already known. Raises Busy when too much is waiting."""
        ...

    async def amend(self, key: str, text: str) -> bool:
        """Change a question that is not answered yet; False when it is too late or unknown.

        An answer under way is withdrawn, also where its first sentences are visible; the same text again leaves it
        alone."""
        ...

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is kept of it and of its answer; False when it is answered or unknown."""
        ...

    async def leave(self, space: str) -> None:
        """Erase all that is kept of a `platform:space` that the bot was removed from."""
        ...

    async def lease(self) -> Work | None:
        """The next message, fairly by space, then author, then age; None when there is none.

        Messages of one conversation are leased one at a time and in order."""
        ...

    async def answered(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises Withdrawn when the question was changed or deleted since it was leased; it is to be
        released then.

        The conversation recalls it as a turn from when it is saved and something of it may be visible."""
        ...

    async def posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises Withdrawn when the question was changed or deleted since it was leased."""
        ...

    async def posted(self, key: str, reference: str) -> None:
        """Record the platform's name of the reply, right after it is known."""
        ...

    async def done(self, key: str) -> None: ...

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give the message back, to be leased again after `delay` seconds. `counts`: an answer was attempted."""
        ...

    async def failed(self, key: str, why: str) -> None:
        """Give up on a message; it is kept for the operator."""
        ...

    async def expired(self, key: str) -> None: ...

    async def seen(self, channel: str) -> str | None:
        """The newest message id accepted from `platform:space:channel`; of `platform:space`, what `heard` said."""
        ...

    async def heard(self, space: str, until: str) -> None:
        """Everything sent in `platform:space` up to the message id `until` is here."""
        ...

    async def channels(self, space: str) -> list[str]:
        """The ids of the channels of `platform:space` that messages were accepted from."""
        ...

    async def parts(self, space: str, most: int) -> list[ConversationId]:
        """The `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        ...

    async def conversation(self, key: str) -> ConversationId | None:
        """The conversation of a question; None when it is not kept any more."""
        ...

    async def takes_part(self, conversation: ConversationId) -> bool:
        """Whether the bot has answered in this conversation."""
        ...


class Receipt(Protocol):
    """What an adapter tells while it delivers one reply; each call is durable when it returns."""

    async def posting(self) -> None:
        """Before the first visible write."""
        ...

    async def posted(self, reference: str) -> None:
        """Right after the platform named the reply; again when a further part of it was posted."""
        ...


class Desk(Protocol):
    """What buttons and commands ask for after the answer. Persons are `platform:...:user id`."""

    async def answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """A past answer, if everyone of `readers` may see all that it cites."""
        ...

    async def rate(self, rating: Rating) -> None: ...

    async def documents(self, readers: Readers) -> list[Document]: ...

    async def preferences(self, person: str) -> Preferences: ...

    async def prefer(self, person: str, preferences: Preferences) -> None: ...

    async def export(self, person: str) -> str:
        """All that is kept about a person, as JSON text."""
        ...

    async def forget(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many turns, messages and ratings went."""
        ...


class PlatformAdapter(Protocol):
    name: str

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may later."""
        ...

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        """Show the reply as it comes. With `work.reference` set, complete that reply by editing it."""
        ...

    async def find(self, work: Work) -> str | None:
        """Look on the platform for a reply to `work` that a crash left unrecorded."""
        ...

    async def readers(self, message: IncomingMessage) -> Readers:
        """Who will read the reply, as of now. Fails closed: in doubt, fewer groups."""
        ...

    async def close(self) -> None:
        """Let go of what deliveries need, after the last one."""
        ...
