"""What a claim says that no passage has: a number, date, unit or name. Precise rather than complete: what is not vetoed
is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.check.facts import Date, Facts, Quantity, facts_of
from pipeline.check.folding import fold
from pipeline.text import STOP_WORDS, WORD, stem
from pipeline.text import fold as bare
from pipeline.values import RetrievedChunk

_COUNTS = 12
"""A whole number up to this one without a unit may be counted rather than read: `there are three ways`."""
_LABEL = re.compile(
    r"^\W*\d{1,2}[.):](?:\s|$)|\b(?:passage|source|document|option|question|answer|step)s?\W*#?\d+(?:(?:\s|,|and|&|or|to|-)+\d+)*",
    re.IGNORECASE,
)
"""Numbers that only count or name something in the answer itself."""
_OPENS = re.compile(r"[:.!?…\"“(\[*_•|/]\W*$|^\W*$")
_ALIKE = 4
"""Words that begin with the same four letters may be forms of one name: `France`, `French` are not, `Europe`,
`European` are."""


def invented(claim: str, passages: Sequence[RetrievedChunk], question: str) -> str:
    """The first number, date, unit or name that no passage has, nor its title, headings or file name, nor the question;
    empty when there is none."""
    known = [_known(_said(passage)) for passage in passages]
    asked = _known(question)
    text = _LABEL.sub(lambda match: " " * len(match.group()), claim)
    for fact in facts_of(text):
        if not _counted(fact, text) and not any(facts.holds(fact) for facts, _ in (*known, asked)):
            return text[fact.start : fact.end].strip()
    words = frozenset().union(*(names for _, names in (*known, asked)))
    return next((name for name in _names(text) if not _has(name, words)), "")


def _said(passage: RetrievedChunk) -> str:
    document, chunk = passage.document, passage.chunk
    return "\n".join((chunk.text, document.title, *chunk.heading, document.filename, document.product))


@lru_cache(maxsize=256)
def _known(text: str) -> tuple[Facts, frozenset[str]]:
    """The facts of a text, and its words with their stems, parts and beginnings."""
    words = {_word(match.group()) for match in WORD.finditer(text)} | {one.word for one in fold(text)}
    initials = {run.lower() for run in _initials(text)}
    return Facts(text), frozenset(words | initials | {word[:_ALIKE] for word in words if len(word) > _ALIKE})


def _word(word: str) -> str:
    return stem(bare(word.lower()))


def _initials(text: str) -> Iterable[str]:
    for match in re.finditer(r"\b[A-Z]\w+(?:\s+(?:(?:of|the|and|for|in)\s+)?[A-Z]\w+){1,5}", text):
        yield "".join(word[0] for word in match.group().split() if word[0].isupper())
    for match in re.finditer(r"\b(?:[A-Z]\.){2,6}", text):
        yield match.group().replace(".", "")


def _counted(fact: Quantity | Date, text: str) -> bool:
    return isinstance(fact, Quantity) and not fact.unit and fact.value.isdigit() and int(fact.value) <= _COUNTS


def _names(text: str) -> list[str]:
    """Words with a capital where a sentence does not begin; none of a text that is written like a title."""
    found = list(WORD.finditer(text))
    capitals = [match for match in found if match.group()[0].isupper()]
    content = [match for match in found if match.group().lower() not in STOP_WORDS]
    if 2 * len([match for match in content if match.group()[0].isupper()]) > len(content):
        return []
    return [
        match.group()
        for match in capitals
        if match.group().lower() not in STOP_WORDS and not _OPENS.search(text[: match.start()])
    ]


def _has(name: str, words: frozenset[str]) -> bool:
    word = _word(name)
    return word in words or name.lower() in words or (len(word) >= _ALIKE and word[:_ALIKE] in words)
