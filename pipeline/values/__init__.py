"""The values that travel through Citewell: frozen and complete; their methods only look things up in them.

"Passage" always means retrieved text. Scores lie between 0 and 1 unless a field says otherwise.
"""

from __future__ import annotations

from pipeline.values.answers import (
    Answer,
    AnswerEvent,
    AnswerOutcome,
    AnswerStage,
    Citation,
    CitedSentence,
    Comparison,
    Confidence,
    ConfidenceFactor,
    ConfidenceLevel,
    ProgressEvent,
    QuotedBlock,
    SentenceEvent,
)
from pipeline.values.base import Value, replace, require_every
from pipeline.values.chunks import (
    LIST_KINDS,
    BlockKind,
    Cells,
    Chunk,
    Unit,
    cell_ends,
    cell_spans,
    is_question,
    join_cells,
    label_cells,
    pad_cells,
    split_cells,
)
from pipeline.values.diagnostics import Finding, FindingState
from pipeline.values.documents import (
    LIVE_SOURCE,
    PARSER_VERSION,
    TAUGHT_SOURCE,
    WITHHELD_COLLECTION,
    Block,
    Document,
    DocumentExcerpt,
    Link,
    ParsedDocument,
    RetrievedChunk,
    SearchHit,
)
from pipeline.values.ids import ANY_SPACE, ConversationId, MessageKey, PersonId, PlaceId
from pipeline.values.model_capacity import UNKNOWN_CAPACITY, ModelCapacity
from pipeline.values.people import (
    OFF_RECORD_TAG,
    USE_DEFAULT,
    Action,
    Actor,
    AnswerStyle,
    Attachment,
    Audience,
    AuditEntry,
    ChannelMessage,
    ChannelSyncState,
    CitationStyle,
    Conversation,
    HistoryPage,
    IncomingMessage,
    MessageTrigger,
    Preferences,
    Readers,
    Role,
    ThreadContext,
    Turn,
)
from pipeline.values.places import DEFAULT_PLACE_SETTINGS, AnswerSettings, PlaceSettings, WriterKind
from pipeline.values.planning import (
    AnswerFormat,
    CannedReply,
    ChangedDocuments,
    ClarifyingReply,
    DeclinedReply,
    Intent,
    Plan,
    Retrieval,
    SearchPlan,
    SpellingCorrection,
    apply_corrections,
)
from pipeline.values.platform import IdFormat, Platform
from pipeline.values.posting import (
    AnswerInteraction,
    AnswerSubscription,
    Handoff,
    HandoffNotice,
    LeasedMessage,
    NoticeKind,
    OutgoingPost,
    Rating,
    RatingReason,
    SubscriptionResult,
    Vote,
)
from pipeline.values.request import AnswerLimits, AnswerOptions, AnswerRequest, AutoAnswerPolicy
from pipeline.values.writing import (
    NOT_CHECKED,
    AdditionalPassages,
    Claim,
    DraftEnd,
    DraftSentence,
    Judgement,
    ShownExtent,
    SupportBasis,
    Usage,
    WritingBrief,
)
