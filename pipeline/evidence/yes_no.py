"""Decisions of yes-or-no questions; None where a passage does not decide plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit
from pipeline.values import BlockKind
from pipeline.words.qualifiers import find_conditions, has_negation, is_negation
from pipeline.words.text import content_terms, is_lead_in, split_words, stem

MIN_VERDICT_COSINE = 0.7
"""Cosine from which a sentence is about the question: of doc2dial, mtrag_cloud and squad2's questions that were decided
without it, 6 of 16 below it and none of 10 above were decided wrongly."""
NEGATION_REACH = 5
"""Number of words on each side of a negation that it may deny."""
_UNDECIDED = re.compile(r"\b(?:depends?|whether|might|possible|some|sometimes|usually|manche)\b|\?", re.IGNORECASE)
"""Words that leave the answer open, besides conditions."""
VERDICT_CLAUSE_BREAK = re.compile(
    r"[,;:()–—]|\s-\s|\b(?:because|since|although|while|but|however|weil|obwohl|aber|sondern)\b", re.IGNORECASE
)
"""Marks and conjunctions that split a sentence into statements about one thing."""
_OPENS_WITH_VERDICT = re.compile(r"\W*(?:yes|no|ja|nein)\b", re.IGNORECASE)


def decide_yes_no(question: AnalyzedQuestion, units: Sequence[ScoredUnit]) -> bool | None:
    """Return True for yes, False for no, None where the shown sentences do not decide.

    The verdict is that of the sentence nearest to the question, of those with a clause that is about nothing else and
    leaves nothing open. There is none where the question is no yes-or-no question, or the sentence begins with a yes or
    no itself.

    Of 107 yes-or-no questions of doc2dial, squad2 and newcomers that are answered it decides ten; at one of them a
    sentence beside has a condition. When most of the question in the nearest sentence was enough, and a denial had to
    have no other words, it was nine, of which one was wrong."""
    if not question.is_yes_no or is_negated_near(question.text, question.terms):
        return None
    decisive = [(unit, clause) for unit in units if (clause := _find_clause(question, unit))]
    unit, clause = max(decisive, key=lambda entry: entry[0].cosine, default=(None, ""))
    if unit is None or 0 < unit.cosine < MIN_VERDICT_COSINE or _OPENS_WITH_VERDICT.match(unit.text):
        return None
    return not has_negation(clause)


def _find_clause(question: AnalyzedQuestion, unit: ScoredUnit) -> str:
    """Return the clause of a sentence that begins with the subject of the question and has all of its terms, or denies
    a part and has no other terms: what is denied in general is denied of everything. Empty where none does, or leaves
    it open."""
    if unit.kind in (BlockKind.ROW, BlockKind.CODE) or is_lead_in(unit.text):
        return ""
    wanted = set(question.terms)
    for clause in VERDICT_CLAUSE_BREAK.split(unit.text):
        terms = content_terms(" ".join(word for word in split_words(clause) if not is_negation(word)))
        is_about = wanted.issubset(terms) or (
            has_negation(clause) and wanted.issuperset(terms_without_polarity(clause))
        )
        if (
            terms
            and terms[0] in wanted
            and is_about
            and not (_UNDECIDED.search(clause) or find_conditions(clause) - {"when"})
        ):
            return clause
    return ""


def is_negated_near(text: str, stems: tuple[str, ...]) -> bool:
    """Tell whether a negation stands near a word with one of the stems `about`."""
    words = split_words(text)
    places = [n for n, word in enumerate(words) if is_negation(word)]
    near = {stem(word) for n in places for word in words[max(0, n - NEGATION_REACH) : n + 1 + NEGATION_REACH]}
    return bool(near & set(stems) or (places and not set(stems) & set(content_terms(text))))


def terms_without_polarity(text: str) -> set[str]:
    """Return the terms of a text without its auxiliaries and negations."""
    return set(
        content_terms(" ".join(word for word in split_words(text) if word not in AUXILIARIES and not is_negation(word)))
    )
