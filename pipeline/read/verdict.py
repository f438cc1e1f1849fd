"""Whether a passage answers a yes-or-no question by yes or by no; where that is not plain, nothing is said."""

from __future__ import annotations

import re

from pipeline.read.asked import AUXILIARIES, Question
from pipeline.read.evidence import Candidate
from pipeline.values import BlockKind
from pipeline.words.text import leads_in, stem, terms, words

HELD = 0.75
"""The share of the question, by rarity, that a sentence and what it stands under must hold to say yes."""
NEAR = 0.7
"""The cosine from which a sentence is about what was asked: of doc2dial, mtrag_cloud and squad2's questions that were
decided without it, 6 of 16 below it and none of 10 above were decided wrongly."""
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


def verdict(asked: Question, one: Candidate) -> bool | None:
    """True for yes, False for no; None where the question wants neither, or `one` says it itself or leaves it open.

    What is denied as a whole is denied of everything that is asked about, so that a denial must have no words but the
    question's. To say yes a sentence must have most of the question, and nothing else in the place of the rest."""
    text, wanted = one.text, set(asked.terms)
    if not asked.whether or one.kind in (BlockKind.ROW, BlockKind.CODE) or _SAID.match(text) or _OPEN.search(text):
        return None
    if 0 < one.cosine < NEAR or leads_in(text) or negated(asked.text, asked.terms):
        return None
    only_asked = wanted.issuperset(stated(text))
    if negated(text, asked.terms):
        return False if only_asked else None
    held = one.coverage >= HELD and (only_asked or wanted.issubset(set[str]().union(*one.near)))
    return True if held else None


def negated(text: str, about: tuple[str, ...]) -> bool:
    """Whether a negation stands near a word with one of the stems `about`."""
    found = [word.replace("’", "'") for word in words(text)]
    places = [n for n, word in enumerate(found) if _denies(word)]
    near = {stem(word) for n in places for word in found[max(0, n - REACH) : n + 1 + REACH]}
    return bool(near & set(about) or (places and not set(about) & set(terms(text))))


def stated(text: str) -> set[str]:
    """The terms of a text but for what says yes or no of them."""
    return set(terms(" ".join(word for word in words(text) if word not in AUXILIARIES and not _denies(word))))


def _denies(word: str) -> bool:
    return word in _NEGATION or word.endswith(("n't", "n’t"))
