"""The likelihood that passages hold the answer to a question, and the signals it is computed from."""

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
"""`VECTOR_WEIGHTS` where a reranker has read the passages, 1.2 times as steep as fitted: as fitted .09 of the answers
to squad2 are HIGH, so .20, and without a reranker .15; of those that could be answered all are right (.96 without)."""
LEXICAL_WEIGHTS = {
    "lead": 0.34,
    "missing": -1.54,
    "names_missing": -0.54,
    "numbers_missing": -1.49,
    "negation": -1.16,
    "bias": 0.43,
}
"""`VECTOR_WEIGHTS` where there are no vectors."""
HEADING_COSINE_FACTOR = 0.7
"""Factor on the cosine of a heading: it names the subject of its text, but does not answer. The heading or lead-in of a
list that answers counts in full."""
TABLE_ROW_COSINE = 0.85
"""Cosine of a table row with a cell that the question names, times the share of the question's terms in it and around
it: a row is no sentence, and its vector says little. Also for a sentence under a heading that holds the whole question:
`12 May`; for one with all words of a question that names a code: `XR-2045`; and for one in another language than
English, which the embedder that the weights are fitted with knows best."""
MAX_UNSPACED_COSINE = 0.5
"""Upper bound of the cosine where question and passage are of a script without spaces, of which that embedder knows
nothing: any two sentences of it come to .6 and more, and pairs of characters tell better."""
AGREEMENT_RATIO = 0.9
"""Share of the best sentence's score from which a sentence of another document counts as agreeing with it."""
_FUNCTION_TERMS = frozenset(term for words in FUNCTION_WORDS.values() for word in words for term in content_terms(word))
_KANA, _QUESTION_KANJI = re.compile(r"[\u3040-\u309f]"), re.compile("[何誰幾]")
"""Marks of a pair of Japanese characters that only continues a sentence, or only asks."""
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_COUNTED = re.compile(r"\bthe \d\b", re.IGNORECASE)
"""A number that the answer need not repeat: `the 5 levels` counts the things asked for."""


@dataclass(frozen=True, slots=True)
class AnswerabilitySignals:
    """Signals for and against an answer, each between 0 and 1."""

    cosine: float
    """Cosine of the sentence nearest to the question, or of a heading that is nearer by far; for table rows see
    `TABLE_ROW_COSINE`."""
    lead: float
    """Lead of the best sentence's score over the best one of any other passage."""
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
    """Best relevance that a reranker gave to a passage; None where it read none."""
    elsewhere: float
    """1 when the reranker read the best sentence's passage and preferred another one."""
    column_missing: float
    """1 when the best sentence is a table row that the question names, and it lacks something else asked for."""


def answerability(signals: AnswerabilitySignals | None) -> float:
    """Return the likelihood (0 to 1) that passages with these signals answer the question, where half of all questions
    can be answered; 0 without signals."""
    if signals is None:
        return 0.0
    weights = LEXICAL_WEIGHTS if not signals.cosine else VECTOR_WEIGHTS if signals.read is None else RELEVANCE_WEIGHTS
    odds = sum(weight * (1.0 if name == "bias" else getattr(signals, name)) for name, weight in weights.items())
    return 1 / (1 + math.exp(-odds))


def compute_signals(
    question: AnalyzedQuestion,
    evidence: Sequence[Sequence[ScoredUnit]],
    *,
    several: bool = False,
    listed: ScoredUnit | None = None,
) -> AnswerabilitySignals | None:
    """Compute the signals of some passages; None when no passage says anything.

    A question about `several` things is answered by all passages together: its names and numbers may stand in any.
    `listed` is an entry of the list that was asked for by its title, and answers as a whole."""
    best = listed or best_unit(evidence)
    if best is None:
        return None
    units = evidence[best.passage_index]
    place = best.passage.chunk.lead_in(best.unit_index)
    opening = None if place is None else units[place]
    context = _context_text(best, units, opening)
    all_text = " ".join(unit.text for passage in evidence for unit in passage) if several or listed else ""
    near_terms = set(content_terms(context)).union(*best.term_layers)
    named_terms = near_terms | set(content_terms(all_text))
    others = (
        unit.score
        for passage in evidence
        for unit in passage
        if unit.can_answer and unit.passage_index != best.passage_index
    )
    statement = " ".join(
        (best.passage.chunk.headings_above(best.unit_index), opening.text if opening else "", best.text)
    )
    language = _detect_language(question.text, best.passage.chunk.text)
    wanted = [term for term in question.terms if language in ("", "en") or _carries_subject(term)] or question.terms
    missing = sum(term not in near_terms for term in wanted) / max(1, len(wanted))
    row = best.kind is BlockKind.ROW and best.name_coverage > 0
    cosine = max(
        unit.cosine * (1.0 if unit.can_answer else HEADING_COSINE_FACTOR) for passage in evidence for unit in passage
    )
    if cosine > 0 and IDENTIFIER.search(question.text) and best.term_layers[0].issuperset(question.terms):
        cosine = max(cosine, TABLE_ROW_COSINE)
    if cosine > 0 and language not in ("", "en"):
        both_unspaced = has_unspaced_script(question.text) and has_unspaced_script(best.passage.chunk.text)
        cosine = max(min(cosine, MAX_UNSPACED_COSINE) if both_unspaced else cosine, TABLE_ROW_COSINE * (1 - missing))
    if cosine > 0:
        above = set(content_terms(best.passage.chunk.headings_above(best.unit_index)))
        titled = TABLE_ROW_COSINE if listed or (len(question.terms) > 1 and above.issuperset(question.terms)) else 0.0
        cosine = max(
            cosine,
            opening.cosine if opening else 0.0,
            TABLE_ROW_COSINE * (1 - missing) if row and not listed else titled,
        )
    relevances = [unit[0].passage.relevance for unit in evidence if unit and unit[0].passage.relevance is not None]
    numbers = set(_NUMBER.findall(f"{best.text} {context} {all_text}"))
    return AnswerabilitySignals(
        cosine=cosine,
        lead=min(max(best.score - max(others, default=best.score - 1), 0.0), 1.0),
        agreement=min(count_agreeing_documents(evidence) / 2, 1.0),
        coverage=min(best.coverage, 1.0),
        missing=missing,
        names_missing=float(any(not name <= named_terms for name in _name_terms(question.text))),
        numbers_missing=float(not set(_NUMBER.findall(_COUNTED.sub(" ", question.text))) <= numbers),
        negation=float(has_negation(question.text) and not has_negation(statement)),
        read=max(relevances, default=None),
        elsewhere=float(best.passage.relevance is not None and best.passage.relevance < max(relevances)),
        column_missing=float(row and not listed and missing > 0),
    )


def _detect_language(question: str, text: str) -> str:
    """Detect the language of a question, or of the text that answers it where the question has too few words; `?` for
    another script than Latin."""
    return (detect_supported_language(question) or detect_supported_language(text)) if is_latin(question) else "?"


def _carries_subject(term: str) -> bool:
    """Tell whether a term carries the subject of a question, in any language."""
    return term not in _FUNCTION_TERMS and not _KANA.search(term) and not _QUESTION_KANJI.search(term)


def count_agreeing_documents(evidence: Sequence[Sequence[ScoredUnit]]) -> int:
    """Count the other documents with a sentence that fits the question nearly as well as the best one."""
    best: dict[str, float] = {}
    for unit in (unit for units in evidence for unit in units if unit.can_answer):
        document = unit.passage.document.id
        best[document] = max(best.get(document, 0.0), unit.coverage + unit.cosine)
    top = max(best.values(), default=0.0)
    return max(0, sum(value >= AGREEMENT_RATIO * top for value in best.values()) - 1)


def _context_text(best: ScoredUnit, units: Sequence[ScoredUnit], opening: ScoredUnit | None) -> str:
    """Return the context that a sentence is read with: the sentence before, the header of its table, the heading above,
    the title."""
    before = units[best.unit_index - 1].text if best.unit_index else ""
    above = best.passage.chunk.headings_above(best.unit_index)
    return " ".join((before, opening.text if opening else "", above, best.passage.document.title))


def _name_terms(question: str) -> list[set[str]]:
    """Return the terms of each capitalised word inside a question."""
    return [name for name in (set(content_terms(word)) for word in CAPITALIZED_WORD.findall(question)) if name]
