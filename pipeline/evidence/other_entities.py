"""Documents, sections and sentences that differ only in the name of their subject: a customer, a country, a product."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from pipeline.evidence.question_analysis import CAPITALIZED_WORD, IDENTIFIER, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, UnitPosition, is_anaphoric
from pipeline.evidence.substituted_terms import find_named_terms
from pipeline.words.text import WORD, content_terms, distinct_terms, label_terms, word_terms

_INSIDE, _INSIDE_CAPITAL = re.compile(r"[\w,;] "), re.compile(r"[\w,;] (?=[A-Z])")
"""The characters before a word inside a sentence; in ASCII, before one with a capital."""


def has_other_subject(question: AnalyzedQuestion, first: ScoredUnit, second: ScoredUnit) -> bool:
    """Tell whether two sentences cannot contradict each other: only one is about something that the question names, or
    neither is, or each is about another part of the question."""
    if _replaced_terms(question, first, second) or _replaced_terms(question, second, first):
        return True
    wanted, subjects = set(question.terms), (subject_terms(first), subject_terms(second))
    if wanted & (subjects[0] - subjects[1]) and wanted & (subjects[1] - subjects[0]):
        return True
    names = question.names | _written_names(question, first, second)
    all_names = names | question.thread_names
    first_names, second_names = (all_names & each for each in subjects)
    if not first_names and not second_names:
        return bool(names) and not any(names & _all_terms(each) for each in (first, second))
    return bool((first_names - _all_terms(second)) or (second_names - _all_terms(first)))


class EntityComparison:
    """A comparison of the sentences of some evidence with the `best` one of it, which is about what the question
    names."""

    def __init__(self, question: AnalyzedQuestion, best: ScoredUnit) -> None:
        self.best = best
        self._terms = frozenset(question.terms)
        self._asked = best.term_layers[0] & self._terms
        self._subject = subject_terms(best)
        self._own_names = self._subject & question.names
        self._named = find_named_terms(self._terms, _subject_texts(best))
        self._names = question.names | question.thread_names | _written_names(question, best)
        self._results: dict[UnitPosition, bool] = {}

    def is_other(self, unit: ScoredUnit) -> bool:
        """Tell whether a sentence is about another entity than the one that the question names, and that the best one
        is about."""
        if unit.position not in self._results:
            self._results[unit.position] = self._compare(unit)
        return self._results[unit.position]

    def other_units(self, units: Sequence[ScoredUnit]) -> frozenset[int]:
        """Return the units of a passage that are about another entity, with the ones that continue them in their
        paragraph."""
        indexes, goes_on = set[int](), False
        for unit in units:
            goes_on = (
                goes_on
                and not unit.passage.chunk.is_on_new_line(unit.unit_index)
                and unit.term_layers[0].isdisjoint(self._own_names)
            )
            goes_on = unit.can_answer and (goes_on or self.is_other(unit))
            indexes |= {unit.unit_index} if goes_on else set()
        return frozenset(indexes)

    def _compare(self, unit: ScoredUnit) -> bool:
        best = self.best
        if self._named.terms and (
            best.name_coverage > unit.name_coverage or not self._asked.isdisjoint(unit.term_layers[0])
        ):
            own = self._named.find_substituted(_subject_texts(unit))
            if (own and best.name_coverage > unit.name_coverage) or self._holds_same_terms(unit, own):
                return True
        names = self._names | _proper_nouns(unit.passage.chunk.text, self._terms)
        meant = names & self._subject
        if not meant or names.intersection(subject_terms(unit)) - meant:
            return False
        if best.passage.document.id != unit.passage.document.id:
            missing = meant - _all_terms(unit)
            return bool(meant <= missing) and (_has_similar_title(best, unit) or self._is_parallel(unit, missing))
        missing = meant - subject_terms(unit)
        own = meant - unit.term_layers[0].union(*unit.term_layers[2:])
        return (bool(missing) and _is_under_other_heading(best, unit, missing)) or self._is_parallel(unit, own)

    def _is_parallel(self, unit: ScoredUnit, missing: frozenset[str]) -> bool:
        """Tell whether a sentence says of another entity what the best sentence says of the one asked about."""
        return self._holds_same_terms(unit, missing) and not _naming_terms(unit.text) <= self.best.term_layers[0]

    def _holds_same_terms(self, unit: ScoredUnit, missing: frozenset[str]) -> bool:
        """Tell whether a sentence has all terms of the question that the best sentence has, but for the missing
        ones."""
        shared = self._asked - missing
        return bool(missing and shared) and unit.term_layers[0].issuperset(shared)


def subject_terms(unit: ScoredUnit) -> frozenset[str]:
    """Return the terms of a sentence, of the sentence before and of the headings and title above."""
    return frozenset[str]().union(*unit.term_layers)


def _replaced_terms(question: AnalyzedQuestion, first: ScoredUnit, second: ScoredUnit) -> frozenset[str]:
    """Return the terms of the question in the first sentence where the second has words of its own."""
    return find_named_terms(frozenset(question.terms), _subject_texts(first)).find_substituted(_subject_texts(second))


def _subject_texts(unit: ScoredUnit) -> tuple[str, ...]:
    """Return the texts that show the subject of a sentence, the nearest first."""
    statement = f"{unit.passage.chunk.text_at(unit.unit_index - 1)} {unit.text}" if is_anaphoric(unit) else unit.text
    return statement, unit.passage.chunk.headings_above(unit.unit_index), unit.passage.document.title


def _is_under_other_heading(best: ScoredUnit, unit: ScoredUnit, missing: frozenset[str]) -> bool:
    """Tell whether a sentence stands under another heading than the one that has the name."""
    best_headings, headings = best.term_layers[2], unit.term_layers[2]
    return bool(headings) and best_headings != headings and not best_headings.isdisjoint(missing)


def _has_similar_title(best: ScoredUnit, unit: ScoredUnit) -> bool:
    """Tell whether the titles of two documents differ only in the name."""
    best_title, title = best.term_layers[3], unit.term_layers[3]
    return best_title != title and 2 * len(best_title & title) >= min(len(best_title), len(title)) > 0


@lru_cache(maxsize=4096)
def _naming_terms(text: str) -> frozenset[str]:
    """Return the terms that name the subject of a sentence: with a capital, in a code, behind a noun, or first."""
    first = WORD.search(text)
    named = [*CAPITALIZED_WORD.findall(text), *IDENTIFIER.findall(text), *([first.group()] if first else [])]
    return frozenset(term for name in named for term in content_terms(name)) | label_terms(text)


def _all_terms(unit: ScoredUnit) -> frozenset[str]:
    return subject_terms(unit) | distinct_terms(unit.passage.chunk.text)


def _written_names(question: AnalyzedQuestion, *units: ScoredUnit) -> frozenset[str]:
    """Return the terms of the question that the documents write as names, however the question writes them (`spain`),
    and its figures: years, versions."""
    terms = frozenset(question.terms)
    names = (_proper_nouns(unit.passage.chunk.text, terms) for unit in units)
    return frozenset(term for term in terms if term[0].isdigit()).union(*names)


def _proper_nouns(text: str, terms: frozenset[str]) -> frozenset[str]:
    """Return those of `terms` that a text writes with a capital inside a sentence, and nowhere without."""
    capitalized = _capitalized_terms(text) & terms
    return capitalized - _uncapitalized_terms(text) if capitalized else capitalized


@lru_cache(maxsize=1024)
def _capitalized_terms(text: str) -> frozenset[str]:
    """Return the terms that are written with a capital inside a sentence."""
    inside = (_INSIDE_CAPITAL if text.isascii() else _INSIDE).finditer(text)
    words = (match.group() for before in inside if (match := WORD.match(text, before.end())))
    return _terms_of_words({word for word in words if word[0].isupper()})


@lru_cache(maxsize=128)
def _uncapitalized_terms(text: str) -> frozenset[str]:
    """Return the terms that are written without a capital anywhere."""
    return _terms_of_words({word for word in WORD.findall(text) if not word[0].isupper()})


def _terms_of_words(words: Iterable[str]) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(word_terms, words)))
