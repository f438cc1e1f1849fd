"""Who does what to whom, and from what to what: the same words in another order may say the reverse."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.facts import figures
from pipeline.check.ground import DISCOURSE, Vocabulary, content
from pipeline.phrases import word_pattern
from pipeline.text import WORD

_REACH = 3
"""Content words on either side of a verb that may be who does it and whom it is done to."""
_NOUN_FOLLOWS = word_pattern("""
    a|an|the|this|that|these|those|my|your|our|their|his|her|its|for|of|in|on|at|by|with|from|per|each|every|no|any|some
""")
_CLAUSE = re.compile(
    r"[,;:()|.!?](?:\s|$)|\b(?:if|when|because|while|whereas|unless|after|before|until|once|since|although|so)\b",
    re.IGNORECASE,
)
_BE = word_pattern("is|are|was|were|be|been|being|get|gets|got")
_CHANGE = word_pattern("""
    mov(?:e|es|ed|ing)|chang(?:e|es|ed|ing)|rais(?:e|es|ed|ing)|ris(?:e|es|en|ing)|rose|grow(?:s|n|ing)?|grew
    increas(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|lower(?:s|ed|ing)?|cut(?:s|ting)?|reduc(?:e|es|ed|ing)
    drop(?:s|ped|ping)?|fall(?:s|en|ing)?|fell|shorten(?:s|ed|ing)?|exten(?:d|ds|ded|ding)|postpon(?:e|es|ed|ing)
    delay(?:s|ed|ing)?|shift(?:s|ed|ing)?|switch(?:es|ed|ing)?|renam(?:e|es|ed|ing)|migrat(?:e|es|ed|ing)|upgraded?
    updated?|brought|went|convert(?:s|ed|ing)?|transferred|promoted|demoted
""")
_FROM_TO = re.compile(
    r"\bfrom\s+(?P<old>[^;:()|]{1,60}?)\s+to\s+(?P<new>[^,;:()|]{1,60}?)"
    r"(?=[,;:()|]|[.!?](?:\s|$)|\s+(?:in|on|at|by|for|and|but|or|because|since|as|per|with|if|when|from)\b|\s*$)",
    re.IGNORECASE,
)
_THEN = word_pattern(
    "was|were|had|from|until|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|old|initial(?:ly)?|instead"
)
_INTO = re.compile(r"\b(?:to|into|at|by)\W+(?:the\W+)?$", re.IGNORECASE)

_NEXT = re.compile(r"(?:[,;]|\band)\s+then\b", re.IGNORECASE)
_FIRSTLY = frozenset(content("first firstly start by"))
_FIRST = re.compile(r"^\W*(?P<word>before|after)\b(?P<one>[^,;]*)[,;](?P<other>.*)$", re.IGNORECASE | re.DOTALL)
_LATER = re.compile(r"\b(?P<word>before|after)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Word:
    term: str
    verb: bool
    """It may be a verb here: written small, and no article or preposition before it."""
    passive: bool
    """A form of `be` before it."""
    by: bool
    """`by` behind it."""
    clause: int
    """The number of its clause."""


def reversed_roles(claim: str, source: str) -> str:
    """Why the claim has who does something and to whom the other way round; empty when it has not.

    Of three words in a row around a verb the outer two have changed places while the voice is the same, or kept them
    while it is not."""
    ours, theirs = _sequence(claim), _sequence(source)
    here, there = _places(ours), _places(theirs)
    for term, place in here.items():
        if term not in there or not (ours[place].verb and theirs[there[term]].verb):
            continue
        mine, other = ours[place], theirs[there[term]]
        before, after = _sides(ours, place)
        left, right = _sides(theirs, there[term])
        unique = here.keys() & there.keys()
        crossed = before & right & unique and after & left & unique
        kept = before & left & unique and after & right & unique
        if (crossed and mine.passive == other.passive) or (
            kept and not crossed and mine.passive != other.passive and (mine if mine.passive else other).by
        ):
            return "it has who does what to whom the other way round"
    return ""


def other_subject(claim: str, source: str) -> str:
    """Why the claim says of something else what the source says of its subject; empty when it does not.

    Before the first verb that both have, neither has a word of the other; behind it, the claim has only words of the
    source."""
    ours, theirs = _sequence(claim), _sequence(source)
    here, there = (Vocabulary(word.term for word in found) for found in (ours, theirs))
    first = next((place for place, word in enumerate(ours) if word.term in there), 0)
    other = next((place for place, word in enumerate(theirs) if ours and word.term == ours[first].term), 0)
    if not (first and other and ours[first].verb and theirs[other].verb):
        return ""
    mine = [word.term for word in ours[:first] if word.clause == ours[first].clause and word.term not in DISCOURSE]
    their = [word.term for word in theirs[:other] if word.clause == theirs[other].clause]
    foreign = mine and their and not any(term in here for term in their) and len(mine) == first
    foreign = foreign and all(word.term in there for word in ours[first:])
    return "the passage says it of something else" if foreign else ""


def _sides(found: tuple[_Word, ...], place: int) -> tuple[set[str], set[str]]:
    near = found[max(0, place - _REACH) : place], found[place + 1 : place + 1 + _REACH]
    before, after = ({word.term for word in side if word.clause == found[place].clause} for side in near)
    return before, after


def _places(found: tuple[_Word, ...]) -> dict[str, int]:
    """Where each word stands that stands there once."""
    counts = Counter(word.term for word in found)
    return {word.term: place for place, word in enumerate(found) if counts[word.term] == 1}


@lru_cache(maxsize=1024)
def _sequence(sentence: str) -> tuple[_Word, ...]:
    """The content words of a sentence in order."""
    found: list[_Word] = []
    for clause, part in enumerate(_CLAUSE.split(sentence)):
        written = WORD.findall(part)
        for place, word in enumerate(written):
            before = written[max(0, place - 2) : place]
            verb = word.islower() and not (before and _NOUN_FOLLOWS.fullmatch(before[-1]))
            passive = any(_BE.fullmatch(one) for one in before)
            by = "by" in (one.lower() for one in written[place + 1 : place + 3])
            found += [_Word(term, verb, passive, by, clause) for term in content(word) if not word.endswith("ly")]
    return tuple(found)


def reversed_change(claim: str, source: str) -> str:
    """Why the claim takes what something was changed from for what it was changed to; empty when it does not."""
    for match in _FROM_TO.finditer(source):
        old, new = _said(match["old"]), _said(match["new"])
        was, now = old - new, new - old
        if not was or not now:
            continue
        if (ours := _FROM_TO.search(claim)) is not None:
            if _said(ours["old"]) & now and _said(ours["new"]) & was:
                return "it has from what and to what the other way round"
        elif _CHANGE.search(source[: match.start()]) and was <= _said(claim) and not now & _said(claim):
            at = _place(claim, was)
            if _INTO.search(claim[:at]) or not (_THEN.search(claim) or _CHANGE.search(claim)):
                return "the passage says that this was changed"
    return ""


def reversed_steps(claim: str, source: str) -> str:
    """Why the claim has two steps the other way round; empty when it has not."""
    ours, theirs = _steps(claim), _steps(source)
    if not (ours and theirs):
        return ""
    first, second = theirs[0] - theirs[1], theirs[1] - theirs[0]
    crossed = _mostly(ours[0], second) and _mostly(ours[1], first) and not (ours[0] & first or ours[1] & second)
    return "it has what comes first and what comes next the other way round" if crossed else ""


def _mostly(found: frozenset[str], step: frozenset[str]) -> bool:
    return bool(found) and 2 * len(found & step) >= len(found)


@lru_cache(maxsize=1024)
def _steps(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words of what is done first and of what is done next: `A, then B`, `B after A`, `Before B, A`."""
    if found := _NEXT.search(text):
        return _said(text[: found.start()]) - _FIRSTLY, _said(text[found.end() :])
    if found := _FIRST.match(text):
        one, other = _said(found["one"]), _said(found["other"])
    elif found := _LATER.search(text):
        other, one = _said(text[: found.start()]), _said(text[found.end() :])
    else:
        return None
    return (one, other) if found["word"].lower() == "after" else (other, one)


@lru_cache(maxsize=1024)
def _said(text: str) -> frozenset[str]:
    """Content words and figures, dates as a whole."""
    found = figures(text)
    rest = list(text)
    for one in found:
        rest[one.start : one.end] = " " * (one.end - one.start)
    return frozenset(one.name for one in found) | frozenset(content("".join(rest)))


def _place(claim: str, wanted: frozenset[str]) -> int:
    """Where the first of the wanted figures or words begins."""
    found = [one.start for one in figures(claim) if one.name in wanted]
    found += [match.start() for match in WORD.finditer(claim) if set(content(match.group())) & wanted]
    return min(found, default=0)
