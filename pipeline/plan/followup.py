"""Follow-ups: a question that leans on its conversation is completed from it; one that stands alone is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline import wording
from pipeline.phrases import any_of, word_pattern
from pipeline.plan.ellipsis import done, renamed, without_mark
from pipeline.plan.prepositions import is_circumstance, placed
from pipeline.plan.question_words import asked_with, is_question_word, reason, wants_reason
from pipeline.text import terms, words
from pipeline.values import Turn, Value

CONTEXT = 1200
"""Characters of context: about as much as the embedder reads of one text."""
FEW = 3
"""Words of its own up to which a question with a pronoun or an opening `and` leans."""
ITEM = 80
"""Characters of a list item that stand for it in a question."""

_BEFORE = r"(?=(?:for|in|at|on|with|during|after)\s+\w)"
_OPENING = re.compile(
    any_of(rf"""
    (?:and |or |but |so |ok(?:ay)?,? )*(?:what|how) (?:about |(?=if\s))
    (?:and |or |but |so )*(?:how|what)(?:['’]s| is) it {_BEFORE}
    (?:and |or |but |so )*(?:is it |is that )?(?:the )?same(?: question)?,? (?:but )?{_BEFORE}
    (?:and|or|but|so|then|also|plus)(?: (?:also|then|what))*,?\s
    (?:und |oder |aber )?(?:was ist|wie sieht es|wie steht es|wie ist es|was gilt|das gleiche|dasselbe) (?:mit )?(?=\S)
    (?:und|oder|aber)(?: auch)?\s|auch\s
    (?:et|ou|mais)(?: aussi)?\s|(?:et )?qu['’]en est-il (?:de |du |des )
    (?:y|o|pero)(?: también)?\s|(?:y )?(?:qué tal|qué hay de)\s
"""),
    re.IGNORECASE,
)
_POINTING = word_pattern("""
    it|its|this|that|these|those|they|them|their|theirs|he|she|him|his|her|then|else|one|ones|others?|another|same
    such|more|instead|(?<!is )(?<!are )(?<!was )there|above|former|latter|both|neither
    das|dies\\w*|sie|ihn|ihm|ihre\\w*|dort|davon|dafür|damit|cela|ça|ceux|celui|celle|eso|esto|ello|ese
""")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"\b(?:the )?(?P<which>{'|'.join(_ORDINALS)}|last|latter|former)"
    r"(?: (?:one|option|item|point|step|case|way|method|part|example|thing|question))?\b(?! \w+ (?:of|in))",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^[^\S\n]*(?:[-*•]|\d{1,2}[.)])[^\S\n]+(?P<item>\S.*)$", re.MULTILINE)
_MARKS_BACKWARDS = re.compile(r"\s*(?:\]\d+\[\s*)*")
"""The citation marks that end an item, read from its end: forwards, a run of spaces is tried from each of them."""
_ITEM_END = re.compile(r"[:;.]\s|\s[-–—(]")
_DEFINES = re.compile(r"^(?:what|who|where) (?:is|are|was|were)\b|^(?:define|explain)\b", re.IGNORECASE)
_PRESUPPOSES = re.compile(r"what (?:are|were) the \w+[?.! ]*", re.IGNORECASE)
"""`What are the requirements?`: of what, was said before."""
_CONDITION = re.compile(r"(?:if|unless|wenn|falls|si)\s", re.IGNORECASE)
_CONDITIONED = re.compile(r"\s(?:if|unless|wenn|falls|si)\s.*$", re.IGNORECASE)
_TRAILING = re.compile(r"[\s,]+(?:too|as well|also|then|instead|please|auch|denn|dann|aussi|también)$", re.IGNORECASE)
_ADDED = re.compile(r"^[^()]+ \((?P<topic>.+)\)\?$")
"""A question that was followed by the one it leans on."""
_GENERAL = frozenset(
    terms("""
    much many long often soon far mean work happen take cost need get apply tell more example detail explain yes no ok
    okay sure thanks thank please know give help also anything something else thing way time really right good want like
    don't doesn't didn't can't won't isn't haven't
    warum wieso weshalb wie lange viel viele wann wer was wo und oder aber auch noch dann denn der die das den dem des
    ein eine ist sind im für von mit bei zu et ou mais le la les un une des du de est pour dans el los las y o pero
    para con pourquoi comment combien quand cuánto cuándo cómo porqué
""")
)


class FollowUp(Value):
    """A question as it is understood in its conversation."""

    question: str
    """Complete: what an answer is judged against."""
    query: str
    """What to search for besides `context`: the question with nothing in it that is merely the topic so far."""
    context: str = ""
    """What was said before, newest first: evidence for retrieval, never part of the question. Of a
    question that was completed only the last answer, and that only where it names what is asked about now (unless that
    is a condition, `what if I am ill?`): otherwise what was said before is about something else."""
    leans: bool = False
    """As it was asked, the question cannot be understood without the conversation."""


def complete(question: str, turns: Sequence[Turn]) -> FollowUp:
    """Complete `question` from `turns` (oldest first) where it leans on them.

    `the second one` becomes the item of the last answer; a name, a circumstance or a question word replaces its like
    in the last question (`and Spain?`, `and for contractors?`, `since when?`); `why?` asks for the reason of what was
    asked last; anything else is followed by the last question in parentheses.
    """
    context = "\n".join(_said(turns))[:CONTEXT]
    topic = _topic(turns)
    if not topic or not leans(question):
        return FollowUp(question=question, query=question, context=context)
    asks_why = reason(topic) if wants_reason(question) else ""
    if completed := asks_why or _named(question, turns[-1].answer) or _substituted(question, topic):
        context = context if _CONDITION.match(_rest(question)) else _evidence(question, turns[-1])
        return FollowUp(question=completed, query=completed, context=context, leans=True)
    return FollowUp(
        question=f"{without_mark(question)} ({without_mark(topic)})?", query=question, context=context, leans=True
    )


def _evidence(question: str, last: Turn) -> str:
    """The last answer, where it names what the follow-up asks about: then the answer stood beside it."""
    answer = last.answer[:CONTEXT]
    return "" if set(_own(question)).isdisjoint(terms(answer)) else answer


def leans(question: str) -> bool:
    """Whether `question` misses its subject: it names nothing of its own, or points at something said before."""
    own = _own(question)
    if not own:
        return True
    if len(own) > FEW:
        return False
    if _OPENING.match(question) or _POINTING.search(question) or _ORDINAL.search(question):
        return True
    if is_circumstance(question) or is_question_word(question) or _PRESUPPOSES.fullmatch(question):
        return True
    return len(own) == 1 and len(words(question)) <= 2 and not _DEFINES.match(question)


def _own(question: str) -> list[str]:
    """The terms that say what `question` is about."""
    return [term for term in dict.fromkeys(terms(question)) if term not in _GENERAL]


def _said(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in reversed(turns):
        yield from (text for text in (turn.answer, turn.standalone or turn.question) if text)


def _topic(turns: Sequence[Turn]) -> str:
    """The last question that says what it is about."""
    asked = [(_alone(turn.standalone or turn.question), bool(turn.standalone)) for turn in reversed(turns)]
    complete = (text for text, completed in asked if text and (completed or not leans(text)))
    return next(complete, next((text for text, _ in reversed(asked) if text), ""))


def _alone(asked: str) -> str:
    """`asked`, or the question it was followed by when it was completed."""
    while added := _ADDED.match(asked):
        asked = f"{added['topic']}?"
    return asked


def _named(question: str, answer: str) -> str:
    """`question` with the item of the last answer that it counts off; empty when it counts none."""
    said = answer.split(f"\n\n{wording.SOURCES}\n", maxsplit=1)[0]
    items = [_unmarked(found["item"]) for found in _LISTED.finditer(said)]
    found = _ORDINAL.search(question)
    if not found or len(items) < 2:
        return ""
    which = found["which"].lower()
    place = {"last": len(items) - 1, "latter": len(items) - 1, "former": 0}.get(which)
    place = _ORDINALS.index(which) if place is None else place
    if place >= len(items) or not items[place]:
        return ""
    item = _ITEM_END.split(items[place].replace("**", ""), maxsplit=1)[0][:ITEM].strip()
    rest = question[found.end() :]
    noun = re.match(r" (\w+)", rest)
    if noun and noun[1].lower() in words(item):
        rest = rest[noun.end() :]
    return question[: found.start()] + item + rest


def _unmarked(item: str) -> str:
    backwards = item[::-1]
    marks = _MARKS_BACKWARDS.match(backwards)
    return backwards[marks.end() if marks else 0 :][::-1]


def _rest(question: str) -> str:
    """`question` without what opens it as a follow-up, and without its mark."""
    opening = _OPENING.match(question)
    return without_mark(question[opening.end() :] if opening else question)


def _substituted(question: str, topic: str) -> str:
    """The last question with the part replaced that an elliptic follow-up names anew; empty when there is none."""
    rest = _TRAILING.sub("", _rest(question))
    if not rest:
        return ""
    if is_question_word(rest):
        return asked_with(rest, topic)
    if is_circumstance(rest):
        return placed(rest, topic)
    if not _OPENING.match(question):
        return ""
    if _CONDITION.match(rest):
        return f"{_CONDITIONED.sub('', without_mark(topic))} {rest}?"
    return done(rest, topic) or renamed(rest, topic)
