"""What a claim says that no passage has: a number, date or unit, which is refused, or a name, which is read.

Precise rather than complete: what is not refused is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.values import RetrievedChunk
from pipeline.words.facts import Date, Facts, Quantity, figures, lowered, rates, unlabelled
from pipeline.words.text import STOP_WORDS, WORD, stem
from pipeline.words.text import fold as bare

_COUNTS = 12
"""A whole number up to this one without a unit may be counted rather than read: `there are three ways`."""
_OPENS = re.compile(r"[:.!?…\"“(\[*_•|/°0-9]\W*$|^\W*$")
_SHORTENED = re.compile("['’].*")
_ALIKE = 4
"""Words that begin with the same four letters may be forms of one name: `Europe`, `European`."""


def invented_figure(claim: str, passages: Sequence[RetrievedChunk], question: str) -> str:
    """The first number, date or unit that no passage has, nor its title, headings or file name, nor the question;
    empty when there is none."""
    text = unlabelled(claim)
    found = figures(text)
    wanted = [fact for fact in found if not _counted(fact)] + (rates(lowered(text)) if found else [])
    known = [question, *map(_said, passages)] if wanted else []
    strange = (fact for fact in wanted if not any(_facts(one).holds(fact) for one in known))
    return next((text[fact.start : fact.end].strip() for fact in strange), "")


def strange_name(claim: str, passages: Sequence[RetrievedChunk], heard: str) -> str:
    """The first name that is neither in or above a passage nor in what was `heard`; empty when there is none."""
    text = unlabelled(claim)
    names = _names(text)
    if not names:
        return ""
    known = frozenset().union(_words(heard), *(_words(_said(passage)) for passage in passages))
    inside = {place for fact in figures(text) for place in range(fact.start, fact.end)}
    return next((name for name, start in names if start not in inside and not _has(name, known)), "")


def _said(passage: RetrievedChunk) -> str:
    document, chunk = passage.document, passage.chunk
    return "\n".join((chunk.text, document.title, *chunk.heading, document.filename, document.product))


@lru_cache(maxsize=256)
def _facts(text: str) -> Facts:
    return Facts(text)


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    """The words of a text with their stems and beginnings."""
    words = {_word(word) for word in WORD.findall(text)}
    return frozenset(words | {word[:_ALIKE] for word in words if len(word) > _ALIKE})


def _word(word: str) -> str:
    return stem(bare(word.lower()))


def _counted(fact: Quantity | Date) -> bool:
    return isinstance(fact, Quantity) and not fact.unit and fact.value.isdigit() and int(fact.value) <= _COUNTS


def _names(text: str) -> list[tuple[str, int]]:
    """Words with a capital where no sentence begins; none of a text that is written like a title."""
    found = [match for match in WORD.finditer(text) if _SHORTENED.sub("", match.group().lower()) not in STOP_WORDS]
    capitals = [match for match in found if match.group()[0].isupper()]
    if 2 * len(capitals) > len(found):
        return []
    return [(match.group(), match.start()) for match in capitals if not _OPENS.search(text[: match.start()])]


def _has(name: str, words: frozenset[str]) -> bool:
    word = _word(name)
    return word in words or name.lower() in words or (len(word) >= _ALIKE and word[:_ALIKE] in words)
