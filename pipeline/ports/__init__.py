"""Interfaces between the pipeline and the outside: what the pipeline needs, and what adapters may call.

Every method may be called from any task. Stores raise `Unavailable` when their file or server cannot be reached and
nothing else on purpose.
"""

from __future__ import annotations

from pipeline.ports.client_services import (
    AdminService,
    ApiKeyStore,
    ConversationArchive,
    IdempotencyStore,
    LinkTargets,
    PassageLinks,
    QueryService,
    SessionStore,
)
from pipeline.ports.inbox import HistoryStore, Inbox, Outbox
from pipeline.ports.models import ChatMessage, LanguageModel, StreamEnd, T, TextDelta, TokenLedger, Tool, ToolCall
from pipeline.ports.platform import (
    PlatformAdapter,
    PostRecorder,
    ReplyStream,
    SupportsEphemeral,
    SupportsHistory,
    SupportsSearch,
    SupportsStop,
)
from pipeline.ports.platform_config import AdapterContext, HttpServers, InstallationStore, PlatformConfig, PlatformSetup
from pipeline.ports.search import (
    ChunkReader,
    Confirmations,
    DocumentStore,
    DocumentVersion,
    Embedder,
    Index,
    LexicalResult,
    RelevanceScorer,
    Reranker,
    StagedVersion,
    Tokenizer,
    UnitVectors,
    Vectors,
)
from pipeline.ports.services import AddedDocument, BotServices, Upload, UploadRefused
from pipeline.ports.sources import DocumentSource, PermissionAwareSource, SkipReportingSource, SourceCache, SourceItem
from pipeline.ports.stream import AnswerStream, Planner, Retriever, SearchFunction, Writer, answer_stream
