"""What speaks for and against the passages holding the answer, and how likely that makes it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.evidence.question_analysis import CAPITALIZED_WORD, IDENTIFIER, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, best_unit
from pipeline.values import BlockKind
from pipeline.words.language import FUNCTION_WORDS, detect_supported_language, is_latin
from pipeline.words.qualifiers import has_negation
from pipeline.words.text import content_terms, has_unspaced_script

VECTOR_WEIGHTS = {
    "cosine": 7.04,
    "lead": 0.64,
    "agreement": 0.44,
    "names_missing": -0.58,
    "numbers_missing": -1.33,
    "negation": -1.43,
    "bias": -4.79,
}
"""Logistic regression on the development halves of squad2, clapnq and mtrag_cloud, each set and class with the same
weight: `bench/fit_confidence.py`. Seven more signals (opposites, titles, coverage, the wanted kind of thing) changed no
set's balanced accuracy by more than its noise."""
RELEVANCE_WEIGHTS = {
    "cosine": 6.01,
    "lead": 0.17,
    "agreement": 0.4,
    "names_missing": -0.8,
    "numbers_missing": -1.4,
    "negation": -1.58,
    "read": 2.32,
    "bias": -5.4,
}
"""The same where a second reader has read the passages, 1.2 times as steep as fitted: as fitted .09 of the answers to
squad2 are HIGH, so .20, and without a reader .15; of those that could be answered all are right (.96 without)."""
LEXICAL_WEIGHTS = {
    "lead": 0.34,
    "missing": -1.54,
    "names_missing": -0.54,
    "numbers_missing": -1.49,
    "negation": -1.16,
    "bias": 0.43,
}
"""The same where there are no vectors."""
HEADING_COSINE_FACTOR = 0.7
"""What the cosine of a heading counts: it tells what its text is about, but does not answer. That of the heading or
lead-in of a list that answers counts in full."""
TABLE_ROW_COSINE = 0.85
"""What stands in for the cosine of a table row with a cell that the question names, times the share of the question's
terms in it and around it: a row is no sentence, and its vector says little. Also for a sentence under a heading that
holds the whole question: `12 May`; and of one with all words of a question that names a code: `XR-2045`; and of
one in another language than English, of which the embedder that the weights are fitted with knows most."""
MAX_UNSPACED_COSINE = 0.5
"""What the cosine counts at most where question and passage are of a script without spaces, of which that embedder
knows nothing: any two sentences of it come to .6 and more, and pairs of characters tell better."""
AGREEMENT_RATIO = 0.9
"""How near to the best sentence one of another document must score to count as saying it too."""
_SMALL = frozenset(term for words in FUNCTION_WORDS.values() for word in words for term in content_terms(word))
_KANA, _ASKING = re.compile(r"[\u3040-\u309f]"), re.compile("[何誰幾]")
"""What pairs of Japanese characters have that say how a sentence goes on, or that something is asked."""
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_COUNTS = re.compile(r"\bthe \d\b", re.IGNORECASE)
"""What an answer need not have of a question: `the 5 levels` counts what is asked for."""


@dataclass(frozen=True, slots=True)
class AnswerabilitySignals:
    """Numbers between 0 and 1."""

    cosine: float
    """Of the sentence nearest to the question, or of a heading that is nearer by far; see ROW for table rows."""
    lead: float
    """How far the best sentence scores above the best one of any other passage."""
    agreement: float
    """1 when two more documents have a sentence that fits nearly as well, half for one."""
    coverage: float
    """Weighted share of the question's terms in the best sentence and around it."""
    missing: float
    """Share of the question's terms that stand neither in the best sentence nor around it."""
    names_missing: float
    """1 when a name of the question stands neither in the best sentence nor around it."""
    numbers_missing: float
    """1 when a number of the question stands neither in the best sentence nor around it."""
    negation: float
    """1 when the question is negated and the best sentence is not."""
    read: float | None
    """What a second reader thought of the passage that it liked best; None where it read none."""
    elsewhere: float
    """1 when it read the best sentence's passage and liked another one better."""
    column_missing: float
    """1 when the best sentence is a table row that the question names, and it lacks something else asked for."""


def answerability(found: AnswerabilitySignals | None) -> float:
    """0 to 1: how likely passages with these signals are to answer the question, if half of all questions can be."""
    if found is None:
        return 0.0
    weights = LEXICAL_WEIGHTS if not found.cosine else VECTOR_WEIGHTS if found.read is None else RELEVANCE_WEIGHTS
    odds = sum(weight * (1.0 if name == "bias" else getattr(found, name)) for name, weight in weights.items())
    return 1 / (1 + math.exp(-odds))


def compute_signals(
    asked: AnalyzedQuestion,
    evidence: Sequence[Sequence[ScoredUnit]],
    *,
    several: bool = False,
    listed: ScoredUnit | None = None,
) -> AnswerabilitySignals | None:
    """None when no passage says anything. A question about `several` things is answered by all passages together: its
    names and numbers may stand in any. `listed`: an entry of the list that was asked for by its title, which answers
    as a whole."""
    best = listed or best_unit(evidence)
    if best is None:
        return None
    units = evidence[best.passage_index]
    place = best.passage.chunk.lead_in(best.unit_index)
    opening = None if place is None else units[place]
    around = _around(best, units, opening)
    everything = " ".join(one.text for passage in evidence for one in passage) if several or listed else ""
    near = set(content_terms(around)).union(*best.term_layers)
    named = near | set(content_terms(everything))
    others = (
        one.score
        for passage in evidence
        for one in passage
        if one.can_answer and one.passage_index != best.passage_index
    )
    said = " ".join((best.passage.chunk.headings_above(best.unit_index), opening.text if opening else "", best.text))
    language = _language(asked.text, best.passage.chunk.text)
    wanted = [term for term in asked.terms if language in ("", "en") or _tells(term)] or asked.terms
    missing = sum(term not in near for term in wanted) / max(1, len(wanted))
    row = best.kind is BlockKind.ROW and best.name_coverage > 0
    cosine = max(
        one.cosine * (1.0 if one.can_answer else HEADING_COSINE_FACTOR) for passage in evidence for one in passage
    )
    if cosine > 0 and IDENTIFIER.search(asked.text) and best.term_layers[0].issuperset(asked.terms):
        cosine = max(cosine, TABLE_ROW_COSINE)
    if cosine > 0 and language not in ("", "en"):
        paired = has_unspaced_script(asked.text) and has_unspaced_script(best.passage.chunk.text)
        cosine = max(min(cosine, MAX_UNSPACED_COSINE) if paired else cosine, TABLE_ROW_COSINE * (1 - missing))
    if cosine > 0:
        above = set(content_terms(best.passage.chunk.headings_above(best.unit_index)))
        titled = TABLE_ROW_COSINE if listed or (len(asked.terms) > 1 and above.issuperset(asked.terms)) else 0.0
        cosine = max(
            cosine,
            opening.cosine if opening else 0.0,
            TABLE_ROW_COSINE * (1 - missing) if row and not listed else titled,
        )
    reads = [one[0].passage.relevance for one in evidence if one and one[0].passage.relevance is not None]
    numbers = set(_NUMBER.findall(f"{best.text} {around} {everything}"))
    return AnswerabilitySignals(
        cosine=cosine,
        lead=min(max(best.score - max(others, default=best.score - 1), 0.0), 1.0),
        agreement=min(count_agreeing_documents(evidence) / 2, 1.0),
        coverage=min(best.coverage, 1.0),
        missing=missing,
        names_missing=float(any(not name <= named for name in _names(asked.text))),
        numbers_missing=float(not set(_NUMBER.findall(_COUNTS.sub(" ", asked.text))) <= numbers),
        negation=float(has_negation(asked.text) and not has_negation(said)),
        read=max(reads, default=None),
        elsewhere=float(best.passage.relevance is not None and best.passage.relevance < max(reads)),
        column_missing=float(row and not listed and missing > 0),
    )


def _language(question: str, text: str) -> str:
    """Of a question, or of what answers it where few words do not tell; `?` for one in another script."""
    return (detect_supported_language(question) or detect_supported_language(text)) if is_latin(question) else "?"


def _tells(term: str) -> bool:
    """Whether a term says what is asked about, in any language."""
    return term not in _SMALL and not _KANA.search(term) and not _ASKING.search(term)


def count_agreeing_documents(evidence: Sequence[Sequence[ScoredUnit]]) -> int:
    """How many other documents have a sentence that fits the question nearly as well as the best one."""
    best: dict[str, float] = {}
    for one in (one for units in evidence for one in units if one.can_answer):
        document = one.passage.document.id
        best[document] = max(best.get(document, 0.0), one.coverage + one.cosine)
    top = max(best.values(), default=0.0)
    return max(0, sum(value >= AGREEMENT_RATIO * top for value in best.values()) - 1)


def _around(best: ScoredUnit, units: Sequence[ScoredUnit], opening: ScoredUnit | None) -> str:
    """What is read together with a sentence: the one before, the header of its table, the heading above, the title."""
    before = units[best.unit_index - 1].text if best.unit_index else ""
    above = best.passage.chunk.headings_above(best.unit_index)
    return " ".join((before, opening.text if opening else "", above, best.passage.document.title))


def _names(question: str) -> list[set[str]]:
    """Capitalised words inside a question."""
    return [name for name in (set(content_terms(found)) for found in CAPITALIZED_WORD.findall(question)) if name]
