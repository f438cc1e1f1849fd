"""Messages between people: which of them ask the documents something, and when an answer is worth breaking in with.

The figures are of tests/quality/overheard.jsonl, 200 asides and 100 questions without a mention, both halves.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from functools import cache

from pipeline.compose.compose import NO_CONFIDENCE
from pipeline.plan.followup import own_terms
from pipeline.plan.question import clean, questions
from pipeline.plan.smalltalk import wants_all
from pipeline.ports import AnswerStream, streaming
from pipeline.translations import LANGUAGES, Words
from pipeline.values import Answer, Event, Level, Outcome, Request, Usage, corrected, replace
from pipeline.words import wording
from pipeline.words.text import terms, word_pattern

ABOUT_IT, MOSTLY = 0.5, 0.75
"""The least share of a message's own words that stand in what the answer cites, at medium confidence or better and
below: docs/decisions/0012-among-people.md."""
_RANK = (Level.LOW, Level.MEDIUM, Level.HIGH)
_TO_SOMEBODY = word_pattern("you|your|yours|du|dich|dir|dein|deine|deinen")
"""Colleagues ask each other so: without it 65 asides of 200 look like questions, with it 32, for 1 question of 100."""


def silencing(text: str) -> bool | None:
    """Whether all of `text` sends the bot out of the conversation (`stop`) or calls it back (`start`), in any language
    that we speak; else None."""
    return _orders().get(clean(text).strip(" .!¡。！").casefold())


@cache
def _orders() -> dict[str, bool]:
    return {
        order: away
        for said, away in ((wording.STOP, True), (wording.START, False))
        for language in LANGUAGES
        for order in Words(language)(said).split(", ")
    }


@streaming
async def unless_idle(request: Request, stream: AnswerStream) -> AsyncGenerator[Event, None]:
    """Of `stream`, the answer to `request`, its end alone, or a SILENT one where it is not worth saying. In a
    conversation it may be for whoever said that `alone`.

    What asks nothing is not looked up: then `stream` is not begun. Who wants all of a list that was cut gets it, and
    who wanted to be told once something can be answered."""
    text = request.text
    if request.awaited is not None:
        answer = await stream.answer()
        hindered = answer.outcome is Outcome.FAILED or answer.usage.hindered
        yield answer if worth_telling(answer, request.awaited) else _silent(answer.id, text, hindered=hindered)
        return
    least = request.auto.least if request.auto else Level.LOW
    whole = wants_all(clean(text)) and not request.auto
    if whole or asks(text):
        answer = await stream.answer()
        said = bool(answer.sentences) if whole else worth_saying(text, answer, least)
        alone = not (said or request.auto) and worth_whispering(text, answer)
        yield replace(answer, alone=alone) if said or alone else _silent(answer.id, text)
    else:
        yield _silent("", text)


def asks(text: str) -> bool:
    """Whether `text`, addressed to nobody, has the form of a question, and not of one to a person."""
    asked = clean(text)
    return not _TO_SOMEBODY.search(asked) and questions(asked)


def worth_saying(text: str, answer: Answer, least: Level) -> bool:
    """Whether `answer` to `text` is at least of that confidence, and about what `text` names, its slips corrected."""
    level = answer.confidence.level
    if _RANK.index(level) < _RANK.index(least) or not answer.sentences:
        return False
    cited = [f"{one.title} {' '.join(one.heading)} {one.quote}" for one in answer.citations]
    return _named_in(text, answer, cited) >= (MOSTLY if level is Level.LOW else ABOUT_IT)


def worth_whispering(text: str, answer: Answer) -> bool:
    """Whether whoever said `text` may want to see `answer`, which is not worth saying to everybody: most of what it
    names stands in the passages that come closest."""
    shown = answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL, Outcome.NOT_FOUND)
    near = [f"{one.title} {' '.join(one.heading)} {one.passage or one.quote}" for one in answer.sources]
    return shown and _named_in(text, answer, near) >= MOSTLY


def _named_in(text: str, answer: Answer, sources: Sequence[str]) -> float:
    """The share of what `text` names, its slips corrected, in `answer` and `sources`."""
    said = set(terms(" ".join((*sources, *(one.text for one in answer.sentences)))))
    named = own_terms(corrected(text, answer.corrections))
    return len(named & said) / len(named) if named else 0.0


def worth_telling(answer: Answer, rated: Collection[str]) -> bool:
    """Whether whoever wanted to be told is: it answers at medium confidence or better, and rests on something that the
    passages `rated`, of an answer that was not right, do not have."""
    sure = answer.outcome is Outcome.ANSWERED and answer.confidence.level is not Level.LOW
    return sure and not {citation.chunk_id for citation in answer.citations}.issubset(rated)


def _silent(answer_id: str, question: str, *, hindered: bool = False) -> Answer:
    return Answer(
        usage=Usage(hindered=hindered),
        id=answer_id,
        question=question,
        outcome=Outcome.SILENT,
        body="",
        confidence=NO_CONFIDENCE,
        reasoning=wording.UNSEARCHED,
    )
