"""Whether a passage answers a yes-or-no question by yes or by no; where that is not plain, nothing is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit
from pipeline.values import BlockKind
from pipeline.words.qualifiers import find_conditions, has_negation, is_negation
from pipeline.words.text import content_terms, is_lead_in, split_words, stem

MIN_VERDICT_COSINE = 0.7
"""The cosine from which a sentence is about what was asked: of doc2dial, mtrag_cloud and squad2's questions that were
decided without it, 6 of 16 below it and none of 10 above were decided wrongly."""
NEGATION_REACH = 5
"""Words around a negation that it is about."""
_OPEN = re.compile(r"\b(?:depends?|whether|might|possible|some|sometimes|usually|manche)\b|\?", re.IGNORECASE)
"""What makes the answer neither, besides conditions."""
VERDICT_CLAUSE_BREAK = re.compile(
    r"[,;:()–—]|\s-\s|\b(?:because|since|although|while|but|however|weil|obwohl|aber|sondern)\b", re.IGNORECASE
)
"""What parts a sentence into what is said of one thing."""
_SAID = re.compile(r"\W*(?:yes|no|ja|nein)\b", re.IGNORECASE)


def decide_yes_no(asked: AnalyzedQuestion, shown: Sequence[ScoredUnit]) -> bool | None:
    """True for yes, False for no, as that of the sentences `shown` says it which is nearest to the question, of those
    with a clause that is about nothing else and leaves nothing open; None where there is none, the question wants
    neither, or the sentence begins with a yes or no itself.

    Of 107 yes-or-no questions of doc2dial, squad2 and newcomers that are answered it decides ten; at one of
    them a sentence beside has a condition. When most of the question in the nearest sentence was enough, and a denial
    had to have no other words, it was nine, of which one was wrong."""
    if not asked.is_yes_no or is_negated_near(asked.text, asked.terms):
        return None
    told = [(one, clause) for one in shown if (clause := _about(asked, one))]
    one, clause = max(told, key=lambda found: found[0].cosine, default=(None, ""))
    if one is None or 0 < one.cosine < MIN_VERDICT_COSINE or _SAID.match(one.text):
        return None
    return not has_negation(clause)


def _about(asked: AnalyzedQuestion, one: ScoredUnit) -> str:
    """The clause of a sentence that begins with what is asked about and has all of that, or denies a part and has
    nothing else: what is denied as a whole is denied of everything. Empty where none does, or leaves it open."""
    if one.kind in (BlockKind.ROW, BlockKind.CODE) or is_lead_in(one.text):
        return ""
    wanted = set(asked.terms)
    for clause in VERDICT_CLAUSE_BREAK.split(one.text):
        found = content_terms(" ".join(word for word in split_words(clause) if not is_negation(word)))
        whole = wanted.issubset(found) or (has_negation(clause) and wanted.issuperset(terms_without_polarity(clause)))
        if found and found[0] in wanted and whole and not (_OPEN.search(clause) or find_conditions(clause) - {"when"}):
            return clause
    return ""


def is_negated_near(text: str, about: tuple[str, ...]) -> bool:
    """Whether a negation stands near a word with one of the stems `about`."""
    found = split_words(text)
    places = [n for n, word in enumerate(found) if is_negation(word)]
    near = {stem(word) for n in places for word in found[max(0, n - NEGATION_REACH) : n + 1 + NEGATION_REACH]}
    return bool(near & set(about) or (places and not set(about) & set(content_terms(text))))


def terms_without_polarity(text: str) -> set[str]:
    """The terms of a text but for what says yes or no of them."""
    return set(
        content_terms(" ".join(word for word in split_words(text) if word not in AUXILIARIES and not is_negation(word)))
    )
