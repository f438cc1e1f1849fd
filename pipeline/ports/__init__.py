"""What the pipeline needs from the outside, and what the outside may ask of it.

Every method may be called from any task. Stores raise `Unavailable` when their file or server cannot be
reached and nothing else on purpose.
"""

from __future__ import annotations

from pipeline.ports.config import Doors, Host, Installations, PlatformConfig, PlatformSetup
from pipeline.ports.desk import Added, Desk, NotAdded, Sent
from pipeline.ports.inbox import HistoryStore, Inbox, Outbox
from pipeline.ports.models import ChatMessage, LanguageModel, StreamEnd, T, TextDelta, TokenLedger, Tool, ToolCall
from pipeline.ports.platform import (
    AmongPeople,
    Growing,
    PlatformAdapter,
    Receipt,
    Searches,
    Stoppable,
    Whispers,
)
from pipeline.ports.reading import Archive, Keys, Links, Overview, Reading, Replies, Sessions, Sources
from pipeline.ports.search import (
    Confirmations,
    Embedder,
    Index,
    Lexical,
    Library,
    Passages,
    Reader,
    Reranker,
    Staged,
    Tokenizer,
    UnitVectors,
    Vectors,
)
from pipeline.ports.sources import DocumentSource, Skipping, SourceItem, SourceMemory, Withholding
from pipeline.ports.stream import AnswerStream, Look, Planner, Retriever, Writer, streaming
