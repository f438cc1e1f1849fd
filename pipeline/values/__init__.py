"""The values that travel through Citewell: frozen, complete, with no behaviour but looking things up in themselves.

"Passage" always means retrieved text. Scores lie between 0 and 1 unless a field says otherwise.
"""

from __future__ import annotations

from pipeline.values.answers import (
    Answer,
    Citation,
    CitedSentence,
    Comparison,
    Confidence,
    Event,
    Factor,
    Level,
    Outcome,
    Progress,
    Quoted,
    Stage,
    Written,
)
from pipeline.values.base import Value, replace
from pipeline.values.chunks import (
    LISTED,
    BlockKind,
    Cells,
    Chunk,
    Unit,
    is_question,
    padded,
    row_cells,
    row_ends,
    row_named,
    row_spans,
    row_text,
)
from pipeline.values.documents import (
    LIVE,
    READING,
    TAUGHT,
    WITHHELD,
    Block,
    Document,
    Excerpt,
    Hit,
    Link,
    Parsed,
    RetrievedChunk,
)
from pipeline.values.finding import Finding, State
from pipeline.values.ids import ANYWHERE, ConversationId, MessageKey, PersonId, PlaceId
from pipeline.values.people import (
    AS_SET,
    KEPT_OUT,
    Action,
    Actor,
    Around,
    Attachment,
    Audience,
    ChannelLook,
    CitationStyle,
    Conversation,
    Decision,
    IncomingMessage,
    Manner,
    Preferences,
    Readers,
    Role,
    Said,
    Stretch,
    Style,
    Turn,
)
from pipeline.values.places import EVERYWHERE, Chosen, Place, WhoWrites
from pipeline.values.planning import (
    CannedReply,
    Changes,
    Clarify,
    Correction,
    Decline,
    Format,
    Intent,
    Plan,
    Retrieval,
    Search,
    corrected,
)
from pipeline.values.platform import Id, Platform
from pipeline.values.posting import About, Handoff, Notice, Outgoing, Press, Rating, Reason, Vote, Wish, Wished, Work
from pipeline.values.request import Auto, Limits, Options, Request
from pipeline.values.writing import Brief, Claim, Extent, Finished, Found, Judgement, Sentence, Support, Usage
