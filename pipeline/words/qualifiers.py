"""Qualifiers of a sentence: negations, conditions and modals, for every stage."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.words.text import split_words

NEGATIONS = frozenset(
    """no not never without cannot neither nor none nobody nothing prohibited forbidden banned disallowed refused
    rejected excluded ineligible unable nicht kein keine keinen keiner keinem nie ohne verboten pas jamais sans sin
    nunca""".split()
)
_JAPANESE = ("ない", "ません")
"""Negative endings, which stand inside unspaced text."""
_CONDITIONS = {
    "if": "if|provided|providing|assuming|in case|as long as|subject to|depend(?:s|ing)? on|wenn|falls|sofern|si",
    "when": "when|whenever|where|while",
    "unless": "unless|except(?:ion|ing)?|excluding|apart from|other than|but not|besides|außer|es sei denn|sauf",
    "only": "only|solely|exclusively|just|nur|seulement",
    "until": "until|till|no later than|by the end of|bis",
}
_MODALS = {
    "must": "must|shall|ha(?:ve|s) to|need(?:s|ed)? to|required?|requires|obliged|mandatory|muss|müssen|doit|doivent",
    "may": "may|can|could|might|allowed|permitted|able to|possible|optional|optionally|kann|können|darf|dürfen|peut",
    "should": "should|ought to|recommended|encouraged|advised|soll|sollte|sollten",
}


def _compile_patterns(kinds: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {kind: re.compile(rf"\b(?:{forms})\b", re.IGNORECASE) for kind, forms in kinds.items()}


_CONDITION, _MODAL = _compile_patterns(_CONDITIONS), _compile_patterns(_MODALS)


class Qualifiers(NamedTuple):
    """The qualifiers of a sentence, by kind."""

    negated: bool
    conditions: frozenset[str]
    modals: frozenset[str]


def find_qualifiers(text: str) -> Qualifiers:
    """Return the qualifiers of a sentence."""
    return Qualifiers(has_negation(text), find_conditions(text), _matching_kinds(_MODAL, text))


def is_negation(word: str) -> bool:
    """Tell whether a word, in lower case, is a negation."""
    return word in NEGATIONS or word.replace("’", "'").endswith("n't")


def has_negation(text: str) -> bool:
    """Tell whether any word is a negation."""
    return any(map(is_negation, split_words(text))) or any(ending in text for ending in _JAPANESE)


def find_conditions(text: str) -> frozenset[str]:
    """Return the kinds of conditions and exceptions: `if`, `when`, `unless`, `only`, `until`."""
    return _matching_kinds(_CONDITION, text)


def is_qualifier_lost(claim: str, source: str) -> bool:
    """Tell whether a claim denies its source, or leaves out a condition, an exception or a modal of it.

    Of 147 false claims of our own that a judge passed it finds 66, of 67 true ones 25; of people's answers of clapnq
    and mtrag_cloud that are in other words .11 and .23."""
    claim_qualifiers, source_qualifiers = find_qualifiers(claim), find_qualifiers(source)
    lost = (
        source_qualifiers.conditions - claim_qualifiers.conditions or source_qualifiers.modals - claim_qualifiers.modals
    )
    return claim_qualifiers.negated != source_qualifiers.negated or bool(lost)


def _matching_kinds(kinds: dict[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(kind for kind, pattern in kinds.items() if pattern.search(text))
