"""The plan for a message, and the result of its search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from pydantic import Field, ValidationInfo, ValidatorFunctionWrapHandler, field_serializer, field_validator

from pipeline.values.base import Value, replace
from pipeline.values.documents import RetrievedChunk


class Intent(StrEnum):
    """The kind of a question."""

    FACTUAL = "factual"
    COMPARISON = "comparison"
    PROCEDURE = "procedure"
    LIST = "list"
    SUMMARY = "summary"
    AGGREGATION = "aggregation"


class AnswerFormat(StrEnum):
    """The layout of an answer."""

    PROSE = "prose"
    BULLETS = "bullets"
    TABLE = "table"
    STEPS = "steps"
    PLAIN = "plain"


class SearchPlan(Value):
    """A plan to search: `question` is complete by itself, `queries` are searched, one per part or side; without any it
    is the question that is searched."""

    question: str
    queries: tuple[str, ...] = ()
    user_wording: str = ""
    """`question` in people's own words, as it is kept and shown: without words that only documents have."""
    sides: tuple[str, ...] = ()
    """Subject of each query, for a comparison: `("full-time staff", "contractors")`."""
    intent: Intent = Intent.FACTUAL
    format: AnswerFormat | None = None
    """None for the format that suits the passages."""
    context: str = ""
    """Words of the conversation that help retrieval without being part of the question."""
    wants_all: bool = False
    """True where all of a list was asked for."""
    topic: str = ""
    """The earlier question that completed `question`; empty where it stood alone."""
    thread: str = ""
    """For a question that stood alone, the last question of its conversation that names its subject."""
    since: str = ""
    """Day, `2026-05-01`, where the question is which documents changed since; else empty."""
    about: str = ""
    """Topic of such documents; empty for all."""
    tokens: int = 0
    """Tokens that a model used to plan."""

    @property
    def about_topic(self) -> str:
        """The question, with the topic that it leans on where it does not contain it."""
        return self.question if self.topic.strip().rstrip("?!. ") in self.question else f"{self.topic} {self.question}"


class CannedReply(Value):
    """A plan to say `text` without a search: greeting, help, nothing indexed."""

    text: str
    flags: tuple[str, ...] = ()
    named: dict[str, str] = Field(default_factory=dict)
    """Titles of the documents that the text names, by their ids."""


class ClarifyingReply(Value):
    """A plan to ask the person for more; `reason` is shown."""

    reason: str
    flags: tuple[str, ...] = ()


class DeclinedReply(Value):
    """A plan to refuse; `reason` is shown."""

    reason: str
    flags: tuple[str, ...]


Plan = SearchPlan | CannedReply | ClarifyingReply | DeclinedReply


class SpellingCorrection(Value):
    """A word of the question that no document holds, replaced by one that some do."""

    word: str
    meant: str
    others: tuple[str, ...] = ()
    """Other words that are as near."""
    documents: tuple[str, ...] = ()
    """Ids of documents that hold these words, one for each."""
    form: bool = False
    """True for another form of the same word, which nobody needs to be told of."""


class Retrieval(Value):
    """The passages of a search, best first."""

    passages: tuple[RetrievedChunk, ...]
    """Passages at or above the relevance floor, near-duplicates collapsed."""
    nearest: tuple[RetrievedChunk, ...] = ()
    """The best few whatever their score: read where few are above the floor and nothing answers."""
    candidates: Sequence[RetrievedChunk] = ()
    """All passages that were read, duplicates among them, best first."""
    document_ids: tuple[str, ...] = ()
    """Distinct document ids before the floor, best first."""
    degraded: tuple[str, ...] = ()
    """Stages that did not work: `embedder`, `vector`, `lexical`, `confirmations`, `reranker`, `reader`."""
    scorer_skipped: str = ""
    """Reason why the relevance scorer did not read the passages; empty where it did, or there is none."""
    corrections: tuple[SpellingCorrection, ...] = ()
    """Words that were searched for in place of words that no document holds."""

    @field_validator("candidates", mode="wrap")
    @classmethod
    def _keep_candidates(cls, candidates: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Leave them as they are, since most are never looked at, unless they are JSON."""
        return tuple(validate(candidates)) if info.mode == "json" else candidates

    @field_serializer("candidates")
    def _list_candidates(self, candidates: Sequence[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
        return tuple(candidates)

    def corrected_search(self, search: SearchPlan) -> SearchPlan:
        """Return `search` in the words that were searched for."""
        return replace(
            search,
            question=apply_corrections(search.question, self.corrections),
            queries=tuple(apply_corrections(query, self.corrections) for query in search.queries),
            sides=tuple(apply_corrections(side, self.corrections) for side in search.sides),
        )


class ChangedDocuments(Value):
    """Documents of a day or later, newest first."""

    passages: tuple[RetrievedChunk, ...]
    """One passage of each document that is named."""
    total: int
    """Number of such documents."""
    dated: bool
    """True where some documents have a date, even an earlier one."""


def apply_corrections(text: str, corrections: Iterable[SpellingCorrection]) -> str:
    """Replace corrected words in `text`, in whatever case they are written."""
    replacements = {correction.word: correction.meant for correction in corrections}
    if not replacements:
        return text
    longest_first = "|".join(map(re.escape, sorted(replacements, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda match: replacements.get(match.group().lower(), match.group()), text)
