"""What the pipeline needs from the outside, and what the outside may ask of it.

Every method may be called from any task. Stores raise `Unavailable` when their file or server cannot be
reached and nothing else on purpose.
"""

from __future__ import annotations

from pipeline.ports.config import Doors, Host, PlatformConfig
from pipeline.ports.desk import Desk
from pipeline.ports.inbox import HistoryStore, Inbox, Outbox
from pipeline.ports.installations import Installations
from pipeline.ports.keys import Keys, Replies, Sessions
from pipeline.ports.knowledge import Added, NotAdded, Sent
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
from pipeline.ports.reading import Archive, Links, Overview, Reading, Sources
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
from pipeline.ports.stages import Look, Planner, Retriever, Writer
from pipeline.ports.stream import AnswerStream, streaming
