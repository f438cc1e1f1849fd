"""The question log as numbers in columns, so that 100,000 questions take little time and memory."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from pipeline.rules.platforms import PlatformRegistry
from pipeline.values import AnswerOutcome, ConfidenceLevel, ConversationId
from pipeline.values.insights import QuestionCounts
from pipeline.words.text import WORD
from storage.messages.history import QuestionRecord

IntColumn = NDArray[np.int32]
RowMask = NDArray[np.bool_]
OUTCOMES = (AnswerOutcome.ANSWERED, AnswerOutcome.PARTIAL, AnswerOutcome.NOT_FOUND, AnswerOutcome.FAILED)
_ASSERTED = (AnswerOutcome.ANSWERED, AnswerOutcome.PARTIAL)
_DAY = 86400
_MONDAY = 3
"""The number of days from a Monday to 1970-01-01."""


class _Numbers(dict[str, int]):
    """Numbers for names, counted up as the names appear."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


@dataclass(frozen=True)
class QuestionTable:
    """One row for each question, in columns of equal length; names by their numbers."""

    questions: Sequence[str]
    """Questions as first asked; the same words are one question whatever their case and punctuation."""
    places: Sequence[str]
    documents: Sequence[str]
    """Ids of documents."""
    question: IntColumn
    person: IntColumn
    place: IntColumn
    week: IntColumn
    """Weeks, counted from Monday 1969-12-29."""
    outcome: IntColumn
    """Positions in `OUTCOMES`; other outcomes have its length."""
    main_document: IntColumn
    """The first document that an answer cites, or the nearest one; -1 for none."""
    asked_at: NDArray[np.float64]
    """Times in seconds."""
    low_confidence: RowMask
    unhelpful: RowMask
    private: RowMask
    """True if only the asker reads the answer."""
    waiting: IntColumn
    """Number of people subscribed to an answer."""
    cited: Counter[str]
    """Number of answers that cite a document."""
    disagreements: Counter[tuple[str, ...]]
    """Number of answers that show these documents because they contradict each other."""
    example_rows: dict[tuple[str, ...], int]
    """A row for each of those."""

    def counts(self, rows: RowMask) -> QuestionCounts:
        totals = np.bincount(self.outcome[rows], minlength=len(OUTCOMES) + 1)
        answered, partial, not_found, failed = (int(count) for count in totals[: len(OUTCOMES)])
        return QuestionCounts(
            asked=int(rows.sum()),
            answered=answered,
            partial=partial,
            not_found=not_found,
            failed=failed,
            unhelpful=int(self.unhelpful[rows].sum()),
        )

    def answered_since(self) -> RowMask:
        """Return True for questions that were answered well later in the same place; in private: for the same
        person."""
        well = np.equal(self.outcome, OUTCOMES.index(AnswerOutcome.ANSWERED)) & ~self.low_confidence & ~self.unhelpful
        where = np.where(self.private, len(self.places) + self.person, self.place).astype(np.int64)
        same = np.unique(where * len(self.questions) + self.question, return_inverse=True)[1]
        last = np.zeros(len(same))
        np.maximum.at(last, same[well], self.asked_at[well])
        return self.asked_at < last[same]


def count_questions(rows: Iterator[QuestionRecord], platforms: PlatformRegistry) -> QuestionTable:
    """Return the question log as a table."""
    where = lru_cache(maxsize=4096)(partial(_place_of, platforms))
    questions, places, people, documents = _Numbers(), _Numbers(), _Numbers(), _Numbers()
    outcomes = _Numbers({outcome.value: number for number, outcome in enumerate(OUTCOMES)})
    first_asked: list[str] = []
    cells, times = array("i"), array("d")
    citing: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for number, row in enumerate(rows):
        question = questions[_normalize_question(row.question)]
        if question == len(first_asked):
            first_asked.append(row.question)
        place, private = where(row.conversation, row.channel)
        citing[row.cited] += 1
        if row.differing:
            differing[row.cited] += 1
            examples.setdefault(row.cited, number)
        near = row.nearest or _first_document(row.cited)
        times.append(row.at)
        cells.extend(
            (
                question,
                people[row.author],
                places[place],
                (int(row.at) // _DAY + _MONDAY) // 7,  # weeks since Monday 1969-12-29
                min(outcomes[row.outcome], len(OUTCOMES)),
                documents[near] if near else -1,
                row.level == ConfidenceLevel.LOW and row.outcome in _ASSERTED,
                row.unhelpful,
                private,
                row.waiting,
            )
        )
    question_ids, person, place_of, week, outcome, near_to, low, unhelpful, alone, waiting = (
        np.array(cells, np.int32).reshape(-1, 10).T
    )
    cited: Counter[str] = Counter()
    for listed, count in citing.items():
        for document in json.loads(listed):
            cited[document] += count
    return QuestionTable(
        questions=first_asked,
        places=list(places),
        documents=list(documents),
        question=question_ids,
        person=person,
        place=place_of,
        week=week,
        outcome=outcome,
        main_document=near_to,
        asked_at=np.array(times),
        low_confidence=low.astype(bool),
        unhelpful=unhelpful.astype(bool),
        private=alone.astype(bool),
        waiting=waiting,
        cited=cited,
        disagreements=Counter({tuple(json.loads(listed)): count for listed, count in differing.items()}),
        example_rows={tuple(json.loads(listed)): row for listed, row in examples.items()},
    )


@lru_cache(maxsize=16384)
def _normalize_question(question: str) -> str:
    return " ".join(WORD.findall(question.casefold())) or question


@lru_cache(maxsize=4096)
def _first_document(cited: str) -> str:
    return str(json.loads(cited)[0]) if cited != "[]" else ""


def _place_of(platforms: PlatformRegistry, conversation: str, channel: str) -> tuple[str, bool]:
    """Return the name of a place, and True if only the asker reads there: a direct message, or a private command.

    A thread is a part of its channel.
    """
    if not conversation:
        return "elsewhere", False
    where = ConversationId.parse(conversation)
    platform = platforms.find_platform(where.platform)
    if platform and platform.is_direct(where):
        return f"{where.platform}: direct messages", True
    private = platform is not None and platform.is_private(where)
    return channel or where.channel_key, private
