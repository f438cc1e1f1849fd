"""Whether a passage answers a yes-or-no question by yes or by no; where that is not plain, nothing is said."""

from __future__ import annotations

import re

from pipeline.read.asked import Asked
from pipeline.read.evidence import Candidate
from pipeline.read.layout import leads_in
from pipeline.text import stem, terms, words
from pipeline.values import BlockKind

HELD = 0.75
"""The share of the question, by rarity, that the sentence and what it stands under must hold."""
REACH = 5
"""Words around a negation that it is about."""
_NEGATION = frozenset(
    """no not never without cannot neither nor none nobody nothing prohibited forbidden banned disallowed refused
    rejected excluded ineligible unable nicht kein keine keinen keiner keinem nie ohne verboten""".split()
)
_OPEN = re.compile(
    r"\b(?:if|unless|except|only|depends?|whether|might|provided|until|but|however|some|sometimes|usually|wenn|falls|außer|nur"
    r"|sofern|manche)\b|\?",
    re.IGNORECASE,
)
"""What makes the answer neither."""
_SAID = re.compile(r"\W*(?:yes|no|ja|nein)\b", re.IGNORECASE)


def verdict(asked: Asked, best: Candidate) -> bool | None:
    """True for yes, False for no; None where the question wants neither, or `best` says it itself or leaves it open."""
    text = best.text
    if not asked.whether or best.kind in (BlockKind.ROW, BlockKind.CODE) or _SAID.match(text) or _OPEN.search(text):
        return None
    if best.coverage < HELD or leads_in(text):
        return None
    return negated(asked.text, asked.terms) == negated(text, asked.terms)


def negated(text: str, about: tuple[str, ...]) -> bool:
    """Whether a negation stands near a word with one of the stems `about`."""
    found = [word.replace("’", "'") for word in words(text)]
    places = [n for n, word in enumerate(found) if denies(word)]
    near = {stem(word) for n in places for word in found[max(0, n - REACH) : n + 1 + REACH]}
    return bool(near & set(about) or (places and not set(about) & set(terms(text))))


def denies(word: str) -> bool:
    """Whether a word, in lower case, is a negation."""
    return word in _NEGATION or word.endswith(("n't", "n’t"))
