"""What is to be done about a question, and what the search for it found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from pipeline.values.base import Value, replace
from pipeline.values.documents import RetrievedChunk


class Intent(StrEnum):
    FACTUAL = "factual"
    COMPARISON = "comparison"
    PROCEDURE = "procedure"
    LIST = "list"
    SUMMARY = "summary"
    AGGREGATION = "aggregation"


class AnswerFormat(StrEnum):
    PROSE = "prose"
    BULLETS = "bullets"
    TABLE = "table"
    STEPS = "steps"
    PLAIN = "plain"


class SearchPlan(Value):
    """Look it up: `question` is complete by itself, `queries` are what is searched, one per part or side; without any
    it is the question."""

    question: str
    queries: tuple[str, ...] = ()
    user_wording: str = ""
    """`question` in people's own words, as it is kept and told: with no word that only documents have."""
    sides: tuple[str, ...] = ()
    """What each query is about, for a comparison: `("full-time staff", "contractors")`."""
    intent: Intent = Intent.FACTUAL
    format: AnswerFormat | None = None
    """None: whatever suits what is found."""
    context: str = ""
    """Words of the conversation that help retrieval without being part of the question."""
    wants_all: bool = False
    """All of a list was asked for."""
    topic: str = ""
    """The earlier question that `question` leaned on and was completed with; empty where it stood alone."""
    thread: str = ""
    """Where it stood alone, the last question of its conversation that says what it is about."""
    since: str = ""
    """Which documents are of that day or later is asked: `2026-05-01`; empty where it is not."""
    about: str = ""
    """Of that, the topic; empty for everything."""
    tokens: int = 0
    """What a model used to plan it."""

    @property
    def about_topic(self) -> str:
        """The question with the topic that it leans on, where it does not have that in it."""
        return self.question if self.topic.strip().rstrip("?!. ") in self.question else f"{self.topic} {self.question}"


class CannedReply(Value):
    """Say `text` without looking anything up: greeting, help, nothing indexed."""

    text: str
    flags: tuple[str, ...] = ()
    named: dict[str, str] = Field(default_factory=dict)
    """The titles of documents in it, by their ids."""


class ClarifyingReply(Value):
    """Ask the person for more; `reason` is shown."""

    reason: str
    flags: tuple[str, ...] = ()


class DeclinedReply(Value):
    """Refuse; `reason` is shown."""

    reason: str
    flags: tuple[str, ...]


Plan = SearchPlan | CannedReply | ClarifyingReply | DeclinedReply


class SpellingCorrection(Value):
    """A word of the question that no document holds, taken for one that some do."""

    word: str
    meant: str
    others: tuple[str, ...] = ()
    """Words that are as near."""
    documents: tuple[str, ...] = ()
    """The ids of documents that hold these words, one for each."""
    form: bool = False
    """It is another form of the same word, of which nobody needs to be told."""


class Retrieval(Value):
    """What was found for a search, best first."""

    passages: tuple[RetrievedChunk, ...]
    """At or above the relevance floor, near-duplicates collapsed."""
    nearest: tuple[RetrievedChunk, ...] = ()
    """The best few whatever their score: looked at where few are above the floor and nothing answers."""
    candidates: tuple[RetrievedChunk, ...] = ()
    """All that was read, copies among it, best first."""
    document_ids: tuple[str, ...] = ()
    """Distinct document ids before the floor, best first."""
    degraded: tuple[str, ...] = ()
    """What did not work: `embedder`, `vector`, `lexical`, `confirmations`, `reranker`, `reader`."""
    scorer_skipped: str = ""
    """Why the second reader did not read it; empty where it did, or there is none."""
    corrections: tuple[SpellingCorrection, ...] = ()
    """What was searched for in place of words that no document holds."""

    def corrected_search(self, search: SearchPlan) -> SearchPlan:
        """`search` in the words that were searched for."""
        return replace(
            search,
            question=apply_corrections(search.question, self.corrections),
            queries=tuple(apply_corrections(query, self.corrections) for query in search.queries),
            sides=tuple(apply_corrections(side, self.corrections) for side in search.sides),
        )


class ChangedDocuments(Value):
    """Documents of a day or later, newest first."""

    passages: tuple[RetrievedChunk, ...]
    """One of each that is named."""
    total: int
    """How many there are."""
    dated: bool
    """There are documents that say of which day they are, be it an earlier one."""


def apply_corrections(text: str, corrections: Iterable[SpellingCorrection]) -> str:
    """`text` with the words that were taken for others exchanged, in whatever case they are written."""
    meant = {one.word: one.meant for one in corrections}
    if not meant:
        return text
    longest_first = "|".join(map(re.escape, sorted(meant, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda found: meant.get(found.group().lower(), found.group()), text)
