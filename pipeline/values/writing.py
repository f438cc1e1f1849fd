"""The brief of a writer, its draft, and the judgement of its sentences."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from pipeline.values.base import Value
from pipeline.values.chunks import BlockKind, Cells, fill_cells
from pipeline.values.documents import RetrievedChunk
from pipeline.values.people import AnswerStyle
from pipeline.values.planning import AnswerFormat, Intent


class WritingBrief(Value):
    """The assignment of a writer."""

    question: str
    queries: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    topic: str = ""
    """The earlier question that it leans on; empty where it stands alone."""
    intent: Intent = Intent.FACTUAL
    format: AnswerFormat | None = None
    """None for the format that suits the passages."""
    style: AnswerStyle = AnswerStyle.CONCISE
    language: str = ""
    """ISO 639-1 code the answer should be in; empty: the question's own."""
    max_length: int = 1000
    """Characters."""
    conversation: str = ""
    """Opaque name of the conversation, whose prompts share their beginning; empty where there is none."""
    wants_all: bool = False
    """True where lists, tables, steps and code are given completely, whatever the length."""


class DraftSentence(Value):
    """One sentence, item, step, row or code block of a draft, with the chunks it rests on."""

    text: str
    """Markdown without list markers, pipes at the ends, fences or citation marks."""
    kind: BlockKind = BlockKind.PROSE
    chunk_ids: tuple[str, ...] = ()
    """Chunks that the writer named. Empty, or an unknown id: unsupported."""
    opens: bool = False
    """True where it begins a new paragraph, list or table."""
    number: int = 0
    """Number of a step, as its document counts it; 0 where its writer does not say."""
    language: str = ""
    """Language of a code fence."""
    section: str = ""
    """Section of a comparison: `similarities`, `differences`, `contradictions` or `conclusion`."""
    as_of: str = ""
    """Day of its document, where that is said: `2026-03-01`."""
    cells: Cells = ()
    """Cells of a row or a header: one text a column, which `text` has with bars between them."""
    depth: int = 0
    """Number of list entries that an item or a step stands in."""

    _split = model_validator(mode="before")(fill_cells)


class Usage(Value):
    """The cost of an answer."""

    writer: str = "extractive"
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of the prompts that the model's server had cached."""
    context_tokens: int = 0
    """Token limit of the prompt (`estimate_tokens`) that the model's speed and window allowed; 0 without a model."""
    milliseconds: dict[str, float] = Field(default_factory=dict)
    """Milliseconds by stage: plan, retrieve, read, wait, write, validate, review, repair, assess, compose, total."""
    notes: tuple[str, ...] = ()
    """Stages that did not work, and why: `model_failed: it took too long`, `search_degraded: embedder`."""
    hindered: bool = False
    """True where a later try may give a better answer: a service was down, the day's tokens were spent."""


class ShownExtent(Value):
    """How much of a list, a table, a procedure or a script is shown."""

    shown: int
    total: int
    """Number of entries, rows or steps; lines of code."""
    kind: BlockKind
    """ITEM, STEP, ROW or CODE."""


class DraftEnd(Value):
    """The end of a draft. `is_complete` is False when the writer was cut off."""

    is_complete: bool = True
    reason: str = ""
    usage: Usage = Usage()
    missing: tuple[str, ...] = ()
    """Parts of the question that the passages do not hold, in the question's own words."""


class AdditionalPassages(Value):
    """Passages that a writer searched for while it wrote; the following sentences may rest on them, too."""

    passages: tuple[RetrievedChunk, ...]


class SupportBasis(StrEnum):
    """The evidence that decides if a sentence is supported."""

    VERBATIM = "verbatim"
    """It stands in a passage."""
    VETOED = "vetoed"
    """It has a number, date or unit that no passage has, or is code or a caption that stands in none."""
    UNSURE = "unsure"
    """Its words do not decide, and no judge has read it."""
    JUDGED = "judged"
    """A judge read it and found it in the passages."""
    REFUSED = "refused"
    """A judge read it and did not find it there."""


NOT_CHECKED = "it could not be checked"
"""Reason of a judgement where a judge was wanted and could not be had."""


class Judgement(Value):
    """The decision if one sentence is supported by the passages that its writer read."""

    support: SupportBasis
    score: float
    """0 to 1: 1 for a sentence that stands in a passage; for one that a judge found, how well the judge's evidence
    covers it; else the share of its words and facts in the named passages."""
    chunk_ids: tuple[str, ...] = ()
    """Chunks that support it, best first."""
    quote: str = ""
    """The exact span of the best chunk that supports it."""
    reason: str = ""
    """Reason why it is unsupported, in words: `30 is not in the passages`."""
    is_injected: bool = False
    """True where it is, or rests on, an instruction to an assistant: never shown, not even as unverified."""
    judge: str = ""
    """Name of the model that read it; empty where words decided."""
    omitted_conditions: str = ""
    """Conditions of the passage that the sentence may omit: the units that a judge rested on, where these have a
    condition, a modal or a negation that the sentence lacks, or the sentence has a name that is nowhere. Shown beside
    it."""

    @property
    def is_supported(self) -> bool:
        """True where it may be shown as a fact of the documents."""
        return self.support in (SupportBasis.VERBATIM, SupportBasis.JUDGED)

    @property
    def is_unchecked(self) -> bool:
        """True where words do not decide, and the judge could not be had."""
        return self.reason == NOT_CHECKED


class Claim(Value):
    """A sentence of an answer with the result of its check, as it is stored."""

    claim: str
    supported: bool
    source: str = ""
    """Id of the chunk."""
    support: SupportBasis | None = None
    """Evidence that decided; None in answers from before this field."""
