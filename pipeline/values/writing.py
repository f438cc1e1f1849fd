"""What a writer is asked for and drafts, and what the check thinks of it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from pipeline.values.base import Value
from pipeline.values.chunks import BlockKind, Cells, fill_cells
from pipeline.values.documents import RetrievedChunk
from pipeline.values.people import AnswerStyle
from pipeline.values.planning import AnswerFormat, Intent


class WritingBrief(Value):
    """What a writer is asked for."""

    question: str
    queries: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    topic: str = ""
    """The earlier question that it leans on; empty where it stands alone."""
    intent: Intent = Intent.FACTUAL
    format: AnswerFormat | None = None
    """None: whatever suits what is found."""
    style: AnswerStyle = AnswerStyle.CONCISE
    language: str = ""
    """ISO 639-1 code the answer should be in; empty: the question's own."""
    max_length: int = 1000
    """Characters."""
    wants_all: bool = False
    """Lists, tables, steps and code are given whole, whatever the length."""


class DraftSentence(Value):
    """One sentence, item, step, row or code block of a draft, with the chunks it rests on."""

    text: str
    """Markdown without list markers, pipes at the ends, fences or citation marks."""
    kind: BlockKind = BlockKind.PROSE
    chunk_ids: tuple[str, ...] = ()
    """What the writer named. Empty, or an unknown id: unsupported."""
    opens: bool = False
    """Begins a new paragraph, list or table."""
    number: int = 0
    """Of a step, as its document counts it; 0 where its writer does not say."""
    language: str = ""
    """For code: the fence's language."""
    section: str = ""
    """In a comparison: `similarities`, `differences`, `contradictions` or `conclusion`."""
    as_of: str = ""
    """The day that its document is of, where that is said: `2026-03-01`."""
    cells: Cells = ()
    """Of a row or a header: one text a column, which `text` has with bars between them."""
    depth: int = 0
    """How many entries of a list an item or a step stands in."""

    _split = model_validator(mode="before")(fill_cells)


class Usage(Value):
    """What an answer cost."""

    writer: str = "extractive"
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: dict[str, float] = Field(default_factory=dict)
    """By stage: plan, retrieve, read, write, validate, review, repair, assess, compose, total."""
    notes: tuple[str, ...] = ()
    """What did not work on the way, and why: `model_failed: it took too long`, `search_degraded: embedder`."""
    hindered: bool = False
    """Some of that may work later, and give a better answer: a service was down, the day's tokens were spent."""


class ShownExtent(Value):
    """How much of a list, a table, a procedure or a script is shown."""

    shown: int
    total: int
    """Entries, rows or steps; lines of code."""
    kind: BlockKind
    """ITEM, STEP, ROW or CODE."""


class DraftEnd(Value):
    """The end of a draft. `complete` is False when the writer was cut off."""

    is_complete: bool = True
    reason: str = ""
    usage: Usage = Usage()
    is_usage_exact: bool = True
    """`usage` is what was used; False when nobody came to saying so."""
    missing: tuple[str, ...] = ()
    """Parts of the question that the passages do not hold, in the question's own words."""


class AdditionalPassages(Value):
    """Passages that a writer searched for while it wrote: what follows may rest on them, too."""

    passages: tuple[RetrievedChunk, ...]


class SupportBasis(StrEnum):
    """What decides whether a sentence is supported."""

    VERBATIM = "verbatim"
    """It stands in a passage."""
    VETOED = "vetoed"
    """It has a number, date or unit that no passage has, or is code or a caption that stands in none."""
    UNSURE = "unsure"
    """Words do not decide, and no judge has read it."""
    JUDGED = "judged"
    """A judge read it and found it in the passages."""
    REFUSED = "refused"
    """A judge read it and did not find it there."""


class Judgement(Value):
    """Whether one sentence is supported by the passages that its writer read."""

    support: SupportBasis
    score: float
    """0 to 1: 1 for what stands in a passage; else how much of its words and facts the named passages hold, or of what
    a judge found how much the sentences do that it rests on."""
    chunk_ids: tuple[str, ...] = ()
    """The chunks that do support it, best first."""
    quote: str = ""
    """The exact span of the best chunk that supports it."""
    reason: str = ""
    """Why not, in words: `30 is not in the passages`."""
    is_injected: bool = False
    """It is, or rests on, an instruction to an assistant: never shown, not even as unverified."""
    judge: str = ""
    """The name of the model that read it; empty where words decided."""
    omitted_conditions: str = ""
    """What the passage says that the sentence may not: the units that a judge rested on, where these have a condition,
    a modal or a negation that it lacks, or it has a name that is nowhere. Shown beside it."""

    @property
    def is_supported(self) -> bool:
        """Whether it may be shown as a fact of the documents."""
        return self.support in (SupportBasis.VERBATIM, SupportBasis.JUDGED)


class Claim(Value):
    claim: str
    supported: bool
    source: str = ""
    """Chunk id."""
    support: SupportBasis | None = None
    """What decided; None in answers that were kept before this was."""
