"""Terms that stand in one text where another has others: `the standard loan` for `the green loan`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.evidence.question_analysis import AUXILIARIES
from pipeline.words.language import FUNCTION_WORDS
from pipeline.words.qualifiers import is_negation
from pipeline.words.text import STOP_WORDS, WORD, distinct_terms, word_terms

PRE_VERB_WORDS = AUXILIARIES | {*"be been not never to you we they i he she nobody everyone".split()}
ALL_FUNCTION_WORDS = frozenset[str](STOP_WORDS).union(*FUNCTION_WORDS.values())
"""Words that name nothing, in any of our languages."""
CLAUSE_BREAK = re.compile(r"[,;:()|.!?](?!\w)|[–—]")
"""Marks that split a sentence, a heading or a row into statements about one thing."""

TermContext = tuple[str, str, str]
"""The context of a term: the term before it, the function words between them, and the term behind it; empty where
unknown."""


class NamedTerms(NamedTuple):
    """The wanted terms that name something in some texts."""

    terms: frozenset[tuple[TermContext, str]]
    """Each with its contexts."""
    known: frozenset[str]
    """All terms that are wanted or stand in the texts."""

    def find_substituted(self, other_texts: Iterable[str]) -> frozenset[str]:
        """Return the terms that other texts replace by terms of their own, the nearest text first."""
        other_terms, substituted = frozenset[str](), set[str]()
        for text in other_texts if self.terms else ():
            text_terms = distinct_terms(text)
            other_terms |= text_terms
            lacking = [
                (place, term)
                for place, term in self.terms
                if term not in other_terms and _may_hold_context(place, text, text_terms)
            ]
            if lacking:
                own_contexts = {place for place, term in _find_placed_terms(text) if term not in self.known}
                substituted |= {term for place, term in lacking if place in own_contexts}
        return frozenset(substituted)


@lru_cache(maxsize=256)
def find_named_terms(wanted: frozenset[str], texts: tuple[str, ...]) -> NamedTerms:
    """Return the `wanted` terms that name something, beside others of these or alone, in texts that show the subject,
    the nearest first: a sentence, the headings above it, its title."""
    placed = {entry for text in texts for entry in _find_placed_terms(text)}
    named = {
        (place, term)
        for place, term in placed
        if term in wanted and wanted.issuperset(filter(None, (place[0], place[2])))
    }
    return NamedTerms(frozenset(named), wanted.union(*map(distinct_terms, texts)))


def _may_hold_context(context: TermContext, text: str, terms: frozenset[str]) -> bool:
    """Return False where a text lacks a term of a context. The `terms` of other scripts depend on what they are read
    with."""
    return not text.isascii() or terms.issuperset(filter(None, (context[0], context[2])))


@lru_cache(maxsize=4096)
def _find_placed_terms(text: str) -> tuple[tuple[TermContext, str], ...]:
    """Return the terms that begin a clause or follow a function word that no verb follows, each with its contexts."""
    return tuple(entry for clause in CLAUSE_BREAK.split(text) for entry in _clause_terms(WORD.findall(clause.lower())))


def _clause_terms(words: Sequence[str]) -> Iterator[tuple[TermContext, str]]:
    """Yield the terms of a clause that begin it or follow a function word, each with its context."""
    terms = [(position, term) for position, word in enumerate(words) for term in _first_term(word)]
    for number, (position, term) in enumerate(terms):
        last, before = terms[number - 1] if number else (-1, "")
        between = words[last + 1 : position]
        if (between[-1] in PRE_VERB_WORDS) if between else number:
            continue
        if number or len(terms) == 1:
            yield (before, " ".join(between), ""), term
        following, after = terms[number + 1] if number + 1 < len(terms) else (0, "")
        if after and all(word in PRE_VERB_WORDS or is_negation(word) for word in words[position + 1 : following]):
            yield ("", "", after), term


def _first_term(word: str) -> Sequence[str]:
    return () if word in ALL_FUNCTION_WORDS or is_negation(word) else word_terms(word)[:1]
