"""Unprompted answers: which messages between people ask the documents something, and when an answer is worth posting.

The figures are of tests/quality/overheard.jsonl, 200 asides and 100 questions without a mention, both halves.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from functools import cache

from pipeline.compose.answer import NO_CONFIDENCE
from pipeline.plan.follow_up import topic_terms
from pipeline.plan.question import extract_question, has_question
from pipeline.plan.smalltalk import is_show_all
from pipeline.ports import AnswerStream, answer_stream
from pipeline.translations import LANGUAGES, Translator
from pipeline.values import (
    Answer,
    AnswerEvent,
    AnswerOutcome,
    AnswerRequest,
    ConfidenceLevel,
    Usage,
    apply_corrections,
    replace,
)
from pipeline.words import wording
from pipeline.words.text import content_terms, word_pattern

ABOUT_IT, MOSTLY = 0.5, 0.75
"""Least share of a message's own words that stand in what the answer cites, at medium confidence or better and below:
docs/decisions/0012-among-people.md."""
_RANK = (ConfidenceLevel.LOW, ConfidenceLevel.MEDIUM, ConfidenceLevel.HIGH)
_TO_SOMEBODY = word_pattern("you|your|yours|du|dich|dir|dein|deine|deinen")
"""Words that address a colleague: without this pattern 65 asides of 200 look like questions, with it 32, at the price
of 1 question of 100."""


def parse_mute_command(text: str) -> bool | None:
    """Return True where all of `text` mutes the bot (`stop`), False where it unmutes it (`start`), in any language that
    we speak; else None."""
    return _mute_phrases().get(extract_question(text).strip(" .!¡。！").casefold())


@cache
def _mute_phrases() -> dict[str, bool]:
    return {
        phrase: is_mute
        for phrases, is_mute in ((wording.STOP_PHRASES, True), (wording.START_PHRASES, False))
        for language in LANGUAGES
        for phrase in Translator(language)(phrases).split(", ")
    }


@answer_stream
async def suppress_unhelpful(request: AnswerRequest, stream: AnswerStream) -> AsyncGenerator[AnswerEvent, None]:
    """Yield only the final answer of `stream`, or a SILENT one where it is not worth posting. In a conversation the
    answer may be `alone`, for the author of the message only.

    A message without a question is not looked up: then `stream` is not begun. A request for all of a list that was cut,
    and one of a subscription, are answered."""
    text = request.text
    if request.known_chunk_ids is not None:
        answer = await stream.answer()
        hindered = answer.outcome is AnswerOutcome.FAILED or answer.usage.hindered
        yield (
            answer
            if is_worth_notifying(answer, request.known_chunk_ids)
            else _silent_answer(answer.id, text, hindered=hindered)
        )
        return
    least = request.auto.minimum_level if request.auto else ConfidenceLevel.LOW
    show_all = is_show_all(extract_question(text)) and not request.auto
    if show_all or looks_like_question(text):
        answer = await stream.answer()
        is_posted = bool(answer.sentences) if show_all else is_worth_posting(text, answer, least)
        is_ephemeral = not (is_posted or request.auto) and is_worth_ephemeral(text, answer)
        yield replace(answer, alone=is_ephemeral) if is_posted or is_ephemeral else _silent_answer(answer.id, text)
    else:
        yield _silent_answer("", text)


def looks_like_question(text: str) -> bool:
    """Return whether `text`, addressed to nobody, has the form of a question, and not of one to a person."""
    question = extract_question(text)
    return not _TO_SOMEBODY.search(question) and has_question(question)


def is_worth_posting(text: str, answer: Answer, least: ConfidenceLevel) -> bool:
    """Return whether `answer` has at least that confidence, and is about what `text` names, its slips corrected."""
    level = answer.confidence.level
    if _RANK.index(level) < _RANK.index(least) or not answer.sentences:
        return False
    cited = [f"{citation.title} {' '.join(citation.heading)} {citation.quote}" for citation in answer.citations]
    return _topic_coverage(text, answer, cited) >= (MOSTLY if level is ConfidenceLevel.LOW else ABOUT_IT)


def is_worth_ephemeral(text: str, answer: Answer) -> bool:
    """Return whether the author of `text` may want to see `answer`, which is not worth posting for everybody: most of
    what the text names stands in the closest passages."""
    is_relevant = answer.outcome in (AnswerOutcome.ANSWERED, AnswerOutcome.PARTIAL, AnswerOutcome.NOT_FOUND)
    texts = [
        f"{citation.title} {' '.join(citation.heading)} {citation.passage or citation.quote}"
        for citation in answer.sources
    ]
    return is_relevant and _topic_coverage(text, answer, texts) >= MOSTLY


def _topic_coverage(text: str, answer: Answer, sources: Sequence[str]) -> float:
    """Return the share of what `text` names, its slips corrected, in `answer` and `sources`."""
    terms = set(content_terms(" ".join((*sources, *(sentence.text for sentence in answer.sentences)))))
    topics = topic_terms(apply_corrections(text, answer.corrections))
    return len(topics & terms) / len(topics) if topics else 0.0


def is_worth_notifying(answer: Answer, rated: Collection[str]) -> bool:
    """Return whether a subscriber is to be notified: the answer has medium confidence or better, and rests on something
    other than the passages `rated`, of an answer that was wrong."""
    sure = answer.outcome is AnswerOutcome.ANSWERED and answer.confidence.level is not ConfidenceLevel.LOW
    return sure and not {citation.chunk_id for citation in answer.citations}.issubset(rated)


def _silent_answer(answer_id: str, question: str, *, hindered: bool = False) -> Answer:
    return Answer(
        usage=Usage(hindered=hindered),
        id=answer_id,
        question=question,
        outcome=AnswerOutcome.SILENT,
        body="",
        confidence=NO_CONFIDENCE,
        reasoning=wording.UNSEARCHED,
    )
