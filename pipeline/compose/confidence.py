"""The confidence of an answer: one number, computed from the retrieved passages and the text, never asked of a model.

It decides the level, and whether an extract is shown at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.evidence.answerability import (
    AnswerabilitySignals,
    answerability,
    compute_signals,
    count_agreeing_documents,
)
from pipeline.evidence.conflicts import conflict_dates
from pipeline.evidence.gather import Evidence, is_requested_list
from pipeline.evidence.scored_units import ScoredUnit
from pipeline.evidence.yes_no import decide_yes_no
from pipeline.translations import ENGLISH_TRANSLATOR, Translator
from pipeline.values import (
    LIST_KINDS,
    BlockKind,
    Confidence,
    ConfidenceFactor,
    ConfidenceLevel,
    DraftSentence,
    Judgement,
    ShownExtent,
    Value,
)
from pipeline.words import wording
from pipeline.words.text import count_words as count_of_words
from pipeline.words.text import word_pattern

# --- How something is said: hedged or definite, long or short -------------------------------------

STRONG_HEDGING, MODERATE_HEDGING = 0.6, 0.8
"""Factor of each kind of hedging on the confidence."""
HEDGING_MESSAGES = {
    STRONG_HEDGING: wording.HEDGED_FACTOR,
    MODERATE_HEDGING: wording.CAUTIOUS_FACTOR,
    1.0: wording.DEFINITE_FACTOR,
}
_STRONG_PATTERN = word_pattern(r"""
    not enough information|insufficient information|no information|cannot (?:be )?determined?|unclear|not specified
    please contact|(?:i|we) (?:do not|don['’]t) know|is not known|unknown
""")
_MODERATE_PATTERN = word_pattern(r"""
    may depend|depends on|might vary|may vary|possibly|perhaps|seems? to|appears? to|likely|probably|it depends
""")
_SPECIFIC = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:[$€£¥%°円年月日]|(?:percent|dollars?|euros?|minutes?|hours?|days?|weeks?|months?|years?)\b)"
    r"|\b(?:1\d|20)\d\d\b",
    re.IGNORECASE,
)
_BREVITY_FACTORS = ((5, 0.7), (10, 0.85), (15, 0.95))


@lru_cache(maxsize=64)
def hedging_factor(text: str) -> float:
    """Return `STRONG_HEDGING`, `MODERATE_HEDGING` or 1."""
    return (
        STRONG_HEDGING if _STRONG_PATTERN.search(text) else MODERATE_HEDGING if _MODERATE_PATTERN.search(text) else 1.0
    )


def has_specifics(text: str) -> bool:
    """Tell whether the text has an amount, a percentage, a length of time or a year."""
    return bool(_SPECIFIC.search(text))


def brevity_factor(words: int) -> float:
    """Return the factor for an answer of so many words: few words lower the confidence."""
    return next((factor for limit, factor in _BREVITY_FACTORS if words < limit), 1.0)


# --- How sure it is -------------------------------------------------------------------------------

HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.8, 0.6
"""On squad2 .76 of the extracts at HIGH are right, .97 where unanswerable questions are left out."""
ABSTAIN_BELOW = 0.45
"""Balanced accuracy over squad2, clapnq and mtrag_cloud is .640, .751 and .664 (of 3,432 questions); at .40 .631, .755
and .663, and of 100 that could be answered seven fewer are declined."""
SPECIFICS_BONUS = 0.05
"""Share of the doubt that definite figures take away (specification B)."""
MIN_JUDGED_SCORE = 0.7
"""Score of a judged sentence below which an answer is not HIGH: of 147 false claims of our own that a judge passed 32
are then HIGH (51 at .5), of people's answers of clapnq that were judged .663 (.686)."""
MAX_UNSURE_SCORE = HIGH_CONFIDENCE - 0.01
"""Maximum score of an answer that is not certain in itself, whatever the passages are."""
EXTRACTIVE_WRITER = "extractive"


class Assessment(Value):
    """The assessment of a draft as a whole."""

    confidence: Confidence
    sufficient: bool
    """True where the passages hold an answer."""
    abstain: bool
    """True where an extract is better not shown; a model's sentence stands when it passed the check."""
    abstain_reason: str = ""
    conflict: tuple[DraftSentence, ...] = ()
    """Two sentences of different documents that give different values for the same thing: where these are of different
    days the newer first, each with its day."""
    verdict: bool | None = None
    """Yes or no as an extract answers a yes-or-no question; None where it says so itself or leaves it open."""
    extent: ShownExtent | None = None
    """Shown share of a list, where that is not all."""


def assess_draft(
    evidence: Evidence,
    sentences: Sequence[tuple[DraftSentence, Judgement]],
    *,
    generator: str,
    several: bool = False,
    listing: bool = False,
    extent: ShownExtent | None = None,
    translator: Translator = ENGLISH_TRANSLATOR,
) -> Assessment:
    """Assess a draft of `generator` (`extractive`, or a model's name) with the judgement of each of its sentences.

    `several`: the question compares, or asks more than one thing; `listing`: it asks for a list or a procedure;
    `extent`: only a part of a list is shown."""
    question, units = evidence.question, evidence.units
    supported = [sentence for sentence, judgement in sentences if judgement.is_supported]
    signals = compute_signals(question, units, several=several, listed=_find_shown_list(evidence, supported))
    answerable = answerability(signals)
    is_boosted = (unboosted := evidence.without_confirmations()) is not evidence
    if is_boosted:
        unboosted_signals = compute_signals(
            question, unboosted.units, several=several, listed=_find_shown_list(unboosted, supported)
        )
        answerable = min(answerable, answerability(unboosted_signals))
    text = " ".join(sentence.text for sentence in supported)
    conflict = evidence.conflict
    by_model = generator != EXTRACTIVE_WRITER
    factors = (
        *_compute_factors(answerable, signals, evidence, sentences, text, conflict, translator),
        *_judge_factors(sentences, generator, translator),
    )
    unlisted = listing and not by_model and not any(sentence.kind in LIST_KINDS for sentence in supported)
    is_unlikely = by_model and answerable < ABSTAIN_BELOW
    rests_on_hearsay = _rests_on_hearsay(evidence, [judgement for _, judgement in sentences if judgement.is_supported])
    certain = _is_certain(signals, sentences, generator) and not (
        extent or conflict or unlisted or is_unlikely or rests_on_hearsay
    )
    score = min(_score(answerable, text, sentences, by_model=by_model), 1.0 if certain else MAX_UNSURE_SCORE)
    relies_on_boost = is_boosted and not by_model and answerable < ABSTAIN_BELOW
    abstain = not text or score < ABSTAIN_BELOW or relies_on_boost
    texts = set() if by_model or conflict or abstain else {sentence.text for sentence in supported}
    shown = [unit for passage in units for unit in passage if unit.can_answer and unit.text in texts]
    return Assessment(
        confidence=Confidence(level=_level(score), score=score, reasons=factors),
        sufficient=has_sufficient_context(answerable, text),
        abstain=abstain,
        abstain_reason=_missing_reason(signals, text, translator) if abstain else "",
        conflict=tuple(
            DraftSentence(text=unit.text, chunk_ids=(unit.chunk_id,), opens=True, as_of=day)
            for unit, day in zip(conflict, conflict_dates(conflict), strict=True)
        ),
        verdict=decide_yes_no(question, shown),
        extent=extent,
    )


def _rests_on_hearsay(evidence: Evidence, supported: Sequence[Judgement]) -> bool:
    """Tell whether a sentence rests on messages of a channel, in a thread that nobody marked as solved."""
    cited = {chunk_id for judgement in supported for chunk_id in judgement.chunk_ids}
    threads = (passage.document for passage in evidence.passages if passage.chunk.id in cited)
    return any(document.channel_name and not document.is_solved for document in threads)


def assess_summary(
    sentences: Sequence[tuple[DraftSentence, Judgement]], *, generator: str, translator: Translator = ENGLISH_TRANSLATOR
) -> Assessment:
    """Assess a summary of passages about anything: it is as good as the support of its sentences."""
    scores = [judgement.score for _, judgement in sentences if judgement.is_supported]
    confidence_score = _supported_share(sentences) * sum(scores) / len(scores) if scores else 0.0
    score = min(confidence_score, 1.0 if _is_independently_supported(sentences, generator) else MAX_UNSURE_SCORE)
    supported = translator.pluralize(wording.SUPPORT_FACTOR, len(sentences), supported=len(scores))
    factors = (
        ConfidenceFactor(name="supported", value=_supported_share(sentences), text=supported),
        *_judge_factors(sentences, generator, translator),
    )
    confidence = Confidence(level=_level(score), score=score, reasons=factors)
    return Assessment(confidence=confidence, sufficient=bool(scores), abstain=not scores)


def _level(score: float) -> ConfidenceLevel:
    return (
        ConfidenceLevel.HIGH
        if score >= HIGH_CONFIDENCE
        else ConfidenceLevel.MEDIUM
        if score >= MEDIUM_CONFIDENCE
        else ConfidenceLevel.LOW
    )


def _find_shown_list(evidence: Evidence, supported: Sequence[DraftSentence]) -> ScoredUnit | None:
    """Return the first entry of the list, procedure or table that is the whole answer, where it was asked for by its
    title."""
    shown_texts = {sentence.text for sentence in supported if sentence.kind in LIST_KINDS}
    if len(shown_texts) < 2 or any(sentence.kind is BlockKind.PROSE for sentence in supported[1:]):
        return None
    first = next(
        (unit for units in evidence.units for unit in units if unit.kind in LIST_KINDS and unit.text in shown_texts),
        None,
    )
    return first if first and is_requested_list(evidence, first) else None


def has_sufficient_context(answerable: float, text: str) -> bool:
    """Tell whether the passages answer the question: it is likely enough, and a supported text says something other
    than no."""
    return bool(text) and answerable >= ABSTAIN_BELOW and hedging_factor(text) > STRONG_HEDGING


def _score(
    answerable: float, text: str, sentences: Sequence[tuple[DraftSentence, Judgement]], *, by_model: bool
) -> float:
    """Return the answerability, raised by definite figures and lowered by unsupported, hedged or short text.

    Where a model answered, it and the passages had to be mistaken: the remaining doubt is that of the passages times
    that of the sentences. Hedged or short wording alone withholds no extract: `MIT licence.` may be all."""
    doubt = 1 - answerable
    scores = [judgement.score for _, judgement in sentences if judgement.is_supported]
    if by_model and scores:
        doubt *= 1 - sum(scores) / len(scores)
    confidence = (1 - doubt * (1 - SPECIFICS_BONUS * has_specifics(text))) * _supported_share(sentences)
    worded_confidence = confidence * hedging_factor(text) * brevity_factor(count_of_words(text))
    return worded_confidence if by_model else max(worded_confidence, min(confidence, ABSTAIN_BELOW))


def _supported_share(sentences: Sequence[tuple[DraftSentence, Judgement]]) -> float:
    """Return the share of sentences that are supported."""
    return sum(judgement.is_supported for _, judgement in sentences) / len(sentences) if sentences else 0.0


def _is_certain(
    signals: AnswerabilitySignals | None, sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str
) -> bool:
    """Tell whether nothing asked for is missing, the reranker prefers the same passage, and the text stands. Of
    extracts of clapnq, squad2 and mtrag that score HIGH .60 are right where it holds, .29 where not (54 and 14)."""
    missing = signals is None or any(
        (signals.names_missing, signals.numbers_missing, signals.column_missing, signals.elsewhere)
    )
    return not missing and _is_independently_supported(sentences, generator)


def _is_independently_supported(sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str) -> bool:
    """Tell whether a model's sentences stand in the passages, or another model judged them with little risk and found
    no more than the passages say."""
    supported = [judgement for _, judgement in sentences if judgement.is_supported]
    is_self_judged = any(judgement.judge == generator or judgement.omitted_conditions for judgement in supported)
    is_risky = generator != EXTRACTIVE_WRITER and any(judgement.score < MIN_JUDGED_SCORE for judgement in supported)
    return not (is_self_judged or is_risky)


def _compute_factors(
    answerable: float,
    signals: AnswerabilitySignals | None,
    evidence: Evidence,
    sentences: Sequence[tuple[DraftSentence, Judgement]],
    text: str,
    conflict: Sequence[ScoredUnit],
    translator: Translator,
) -> tuple[ConfidenceFactor, ...]:
    relevance = max((passage.score for passage in evidence.passages), default=0.0)
    supported = sum(judgement.is_supported for _, judgement in sentences)
    others = 0 if conflict else count_agreeing_documents(evidence.units)
    cited = {chunk_id for _, judgement in sentences if judgement.is_supported for chunk_id in judgement.chunk_ids}
    sources = len({passage.document.id for passage in evidence.passages if passage.chunk.id in cited})
    word_count = count_of_words(text)
    coverage = signals.coverage if signals else 0.0
    hedged, definite, length = hedging_factor(text), has_specifics(text), brevity_factor(word_count)
    titles = [unit.passage.document.title for unit in conflict]
    consistent = (
        translator(wording.CONFLICT_FACTOR, one=titles[0], other=titles[-1])
        if titles
        else translator(wording.CONSISTENCY_FACTOR)
    )
    factors = (
        ("answers", answerable, wording.factor_line(wording.ANSWERABILITY_FACTOR, answerable, translator)),
        ("relevance", relevance, wording.factor_line(wording.RELEVANCE_FACTOR, relevance, translator)),
        ("terms", coverage, wording.factor_line(wording.TERMS_FACTOR, coverage, translator)),
        (
            "supported",
            _supported_share(sentences),
            translator.pluralize(wording.SUPPORT_FACTOR, len(sentences), supported=supported),
        ),
        ("agreement", min(others / 2, 1.0), translator.pluralize(wording.AGREEMENT_FACTOR, others)),
        ("consistent", float(not conflict), consistent),
        ("sources", min(sources / 3, 1.0), translator.pluralize(wording.CITED_FACTOR, sources)),
        ("wording", hedged, translator(HEDGING_MESSAGES[hedged])),
        ("specifics", float(definite), translator(wording.FIGURES_FACTOR if definite else wording.NO_FIGURES_FACTOR)),
        ("length", length, translator.pluralize(wording.LENGTH_FACTOR, word_count)),
    )
    return tuple(ConfidenceFactor(name=name, value=value, text=text) for name, value, text in factors)


def _judge_factors(
    sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str, translator: Translator
) -> tuple[ConfidenceFactor, ...]:
    """Return the factors of the judges: their names, how many sentences none of them read, and whether a passage says
    more than the answer."""
    supported = [judgement for _, judgement in sentences if judgement.is_supported]
    factors: list[ConfidenceFactor] = []
    for name in dict.fromkeys(judgement.judge for judgement in supported if judgement.judge):
        by_writer = name == generator
        text = translator(wording.JUDGED_BY_WRITER if by_writer else wording.JUDGED_BY_ANOTHER, name=name)
        factors.append(ConfidenceFactor(name="read", value=float(not by_writer), text=text))
    if unchecked := sum(judgement.is_unchecked for _, judgement in sentences):
        text = translator.pluralize(wording.UNCHECKED_FACTOR, unchecked)
        factors.append(ConfidenceFactor(name="unchecked", value=0.0, text=text))
    if any(judgement.omitted_conditions for judgement in supported):
        factors.append(ConfidenceFactor(name="more", value=0.0, text=translator(wording.CONDITION_MISSING)))
    return tuple(factors)


def _missing_reason(signals: AnswerabilitySignals | None, text: str, translator: Translator) -> str:
    """Return the reason why nothing is asserted, where it is known."""
    if signals is None or not text:
        return ""
    reasons = (
        (signals.negation, wording.NOT_NEGATED),
        (signals.names_missing, wording.NAMES_MISSING),
        (signals.numbers_missing, wording.NUMBERS_MISSING),
    )
    return next((translator(text) for flag, text in reasons if flag), "")
