"""How sure an answer is: one number, computed from what was found and what was written, never asked of a model.

The level is read off it, and so is whether an extract is shown at all.
"""

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
from pipeline.evidence.conflicts import conflict_dates, find_conflict
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
"""What each kind of hedging leaves of the confidence."""
HEDGING_MESSAGES = {
    STRONG_HEDGING: wording.HEDGED_FACTOR,
    MODERATE_HEDGING: wording.CAUTIOUS_FACTOR,
    1.0: wording.DEFINITE_FACTOR,
}
_STRONG = word_pattern(r"""
    not enough information|insufficient information|no information|cannot (?:be )?determined?|unclear|not specified
    please contact|(?:i|we) (?:do not|don['’]t) know|is not known|unknown
""")
_MODERATE = word_pattern(r"""
    may depend|depends on|might vary|may vary|possibly|perhaps|seems? to|appears? to|likely|probably|it depends
""")
_SPECIFIC = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:[$€£¥%°円年月日]|(?:percent|dollars?|euros?|minutes?|hours?|days?|weeks?|months?|years?)\b)"
    r"|\b(?:1\d|20)\d\d\b",
    re.IGNORECASE,
)
_SHORT = ((5, 0.7), (10, 0.85), (15, 0.95))


@lru_cache(maxsize=64)
def hedging_factor(text: str) -> float:
    """STRONG, MODERATE or 1."""
    return STRONG_HEDGING if _STRONG.search(text) else MODERATE_HEDGING if _MODERATE.search(text) else 1.0


def has_specifics(text: str) -> bool:
    """Whether there is an amount, a percentage, a length of time or a year."""
    return bool(_SPECIFIC.search(text))


def brevity_factor(words: int) -> float:
    """The factor for an answer of so many words: few words lower the confidence."""
    return next((factor for limit, factor in _SHORT if words < limit), 1.0)


# --- How sure it is -------------------------------------------------------------------------------

HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.8, 0.6
"""On squad2 .76 of the extracts at HIGH are right, .97 where unanswerable questions are left out."""
ABSTAIN_BELOW = 0.45
"""Balanced accuracy over squad2, clapnq and mtrag_cloud is .640, .751 and .664 (of 3,432 questions); at .40 .631, .755
and .663, and of 100 that could be answered seven fewer are declined."""
SPECIFICS_BONUS = 0.05
"""The share of the doubt that definite figures take away (specification B)."""
MIN_JUDGED_SCORE = 0.7
"""The score of a judged sentence below which an answer is not HIGH: of 147 false claims of our own that a judge passed
32 are then HIGH (51 at .5), of people's answers of clapnq that were judged .663 (.686)."""
MAX_UNSURE_SCORE = HIGH_CONFIDENCE - 0.01
"""The most that an answer can score that is not certain in itself, whatever the passages are."""
EXTRACTIVE_WRITER = "extractive"


class Assessment(Value):
    """What is thought of a draft as a whole."""

    confidence: Confidence
    sufficient: bool
    """The passages hold an answer."""
    abstain: bool
    """Better not shown, if it is an extract: what a model wrote stands when it passed the check."""
    abstain_reason: str = ""
    conflict: tuple[DraftSentence, ...] = ()
    """Two sentences of different documents that give different values for the same thing: where these are of different
    days the newer first, each with its day."""
    verdict: bool | None = None
    """Whether an extract answers a yes-or-no question by yes or by no; None where it says so or leaves it open."""
    extent: ShownExtent | None = None
    """How much of a list is shown, where that is not all."""


def assess_draft(
    evidence: Evidence,
    sentences: Sequence[tuple[DraftSentence, Judgement]],
    *,
    generator: str,
    several: bool = False,
    listing: bool = False,
    extent: ShownExtent | None = None,
    words: Translator = ENGLISH_TRANSLATOR,
) -> Assessment:
    """Judge a draft of `generator` (`extractive`, or a model's name) with the verdict on each of its sentences;
    `several`: the question compares, or asks more than one thing; `listing`: it asks for a list or a procedure;
    `extent`: only a part of a list is shown."""
    asked, units = evidence.question, evidence.units
    supported = [sentence for sentence, judgement in sentences if judgement.is_supported]
    found = compute_signals(asked, units, several=several, listed=_listed(evidence, supported))
    answerable = answerability(found)
    lifted = (plain := evidence.without_confirmations()) is not evidence
    if lifted:
        own = compute_signals(asked, plain.units, several=several, listed=_listed(plain, supported))
        answerable = min(answerable, answerability(own))
    said = " ".join(sentence.text for sentence in supported)
    apart = find_conflict(asked, units)
    by_model = generator != EXTRACTIVE_WRITER
    factors = (
        *_factors(answerable, found, evidence, sentences, said, apart, words),
        *_read(sentences, generator, words),
    )
    unlisted = listing and not by_model and not any(sentence.kind in LIST_KINDS for sentence in supported)
    far = by_model and answerable < ABSTAIN_BELOW
    hearsay = _hearsay(evidence, [judgement for _, judgement in sentences if judgement.is_supported])
    certain = _certain(found, sentences, generator) and not (extent or apart or unlisted or far or hearsay)
    score = min(_score(answerable, said, sentences, by_model=by_model), 1.0 if certain else MAX_UNSURE_SCORE)
    shaky = lifted and not by_model and answerable < ABSTAIN_BELOW
    abstain = not said or score < ABSTAIN_BELOW or shaky
    texts = set() if by_model or apart or abstain else {sentence.text for sentence in supported}
    shown = [one for passage in units for one in passage if one.can_answer and one.text in texts]
    return Assessment(
        confidence=Confidence(level=_level(score), score=score, reasons=factors),
        sufficient=has_sufficient_context(answerable, said),
        abstain=abstain,
        abstain_reason=_missing(found, said, words) if abstain else "",
        conflict=tuple(
            DraftSentence(text=one.text, chunk_ids=(one.chunk_id,), opens=True, as_of=day)
            for one, day in zip(apart, conflict_dates(apart), strict=True)
        ),
        verdict=decide_yes_no(asked, shown),
        extent=extent,
    )


def _hearsay(evidence: Evidence, supported: Sequence[Judgement]) -> bool:
    """Whether something rests on what people said in a channel, in a thread that nobody marked as solved."""
    cited = {chunk_id for judgement in supported for chunk_id in judgement.chunk_ids}
    threads = (one.document for one in evidence.passages if one.chunk.id in cited)
    return any(document.channel_name and not document.is_solved for document in threads)


def assess_summary(
    sentences: Sequence[tuple[DraftSentence, Judgement]], *, generator: str, words: Translator = ENGLISH_TRANSLATOR
) -> Assessment:
    """Judge what sums up passages, whatever they are about: it is as good as its sentences stand in them."""
    shown = [judgement.score for _, judgement in sentences if judgement.is_supported]
    sure = _share(sentences) * sum(shown) / len(shown) if shown else 0.0
    score = min(sure, 1.0 if _witnessed(sentences, generator) else MAX_UNSURE_SCORE)
    supported = words.pluralize(wording.SUPPORT_FACTOR, len(sentences), supported=len(shown))
    factors = (
        ConfidenceFactor(name="supported", value=_share(sentences), text=supported),
        *_read(sentences, generator, words),
    )
    confidence = Confidence(level=_level(score), score=score, reasons=factors)
    return Assessment(confidence=confidence, sufficient=bool(shown), abstain=not shown)


def _level(score: float) -> ConfidenceLevel:
    return (
        ConfidenceLevel.HIGH
        if score >= HIGH_CONFIDENCE
        else ConfidenceLevel.MEDIUM
        if score >= MEDIUM_CONFIDENCE
        else ConfidenceLevel.LOW
    )


def _listed(evidence: Evidence, supported: Sequence[DraftSentence]) -> ScoredUnit | None:
    """The first entry of the list, procedure or table that is all that is said, where it was asked for by its title."""
    said = {sentence.text for sentence in supported if sentence.kind in LIST_KINDS}
    if len(said) < 2 or any(sentence.kind is BlockKind.PROSE for sentence in supported[1:]):
        return None
    first = next(
        (one for units in evidence.units for one in units if one.kind in LIST_KINDS and one.text in said), None
    )
    return first if first and is_requested_list(evidence, first) else None


def has_sufficient_context(answerable: float, said: str) -> bool:
    """Whether the passages answer the question: likely enough, something supported was said, and it does not say no."""
    return bool(said) and answerable >= ABSTAIN_BELOW and hedging_factor(said) > STRONG_HEDGING


def _score(
    answerable: float, said: str, sentences: Sequence[tuple[DraftSentence, Judgement]], *, by_model: bool
) -> float:
    """Answerability, raised by definite figures and lowered by what is unsupported, hedged or short.

    Where a model answered, it and the passages had to be mistaken: the doubt that is left is that of the passages times
    that of the sentences. Hedged or short wording alone withholds no extract: `MIT licence.` may be all."""
    doubt = 1 - answerable
    shown = [judgement.score for _, judgement in sentences if judgement.is_supported]
    if by_model and shown:
        doubt *= 1 - sum(shown) / len(shown)
    worth = (1 - doubt * (1 - SPECIFICS_BONUS * has_specifics(said))) * _share(sentences)
    plain = worth * hedging_factor(said) * brevity_factor(count_of_words(said))
    return plain if by_model else max(plain, min(worth, ABSTAIN_BELOW))


def _share(sentences: Sequence[tuple[DraftSentence, Judgement]]) -> float:
    """Of the sentences that are supported."""
    return sum(judgement.is_supported for _, judgement in sentences) / len(sentences) if sentences else 0.0


def _certain(
    found: AnswerabilitySignals | None, sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str
) -> bool:
    """Whether nothing that is asked for is missing, a second reader takes the same passage for the best, and what was
    written stands. Of extracts of clapnq, squad2 and mtrag that score HIGH .60 are right where it does, .29 where not
    (54 and 14)."""
    missing = found is None or any((found.names_missing, found.numbers_missing, found.column_missing, found.elsewhere))
    return not missing and _witnessed(sentences, generator)


def _witnessed(sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str) -> bool:
    """Whether what a model wrote stands in the passages, or was read by another model with little risk, as no more than
    they say."""
    shown = [judgement for _, judgement in sentences if judgement.is_supported]
    own = any(judgement.judge == generator or judgement.omitted_conditions for judgement in shown)
    risky = generator != EXTRACTIVE_WRITER and any(judgement.score < MIN_JUDGED_SCORE for judgement in shown)
    return not (own or risky)


def _factors(
    answerable: float,
    found: AnswerabilitySignals | None,
    evidence: Evidence,
    sentences: Sequence[tuple[DraftSentence, Judgement]],
    said: str,
    apart: Sequence[ScoredUnit],
    words: Translator,
) -> tuple[ConfidenceFactor, ...]:
    relevance = max((passage.score for passage in evidence.passages), default=0.0)
    supported = sum(judgement.is_supported for _, judgement in sentences)
    others = 0 if apart else count_agreeing_documents(evidence.units)
    cited = {chunk_id for _, judgement in sentences if judgement.is_supported for chunk_id in judgement.chunk_ids}
    sources = len({passage.document.id for passage in evidence.passages if passage.chunk.id in cited})
    long = count_of_words(said)
    coverage = found.coverage if found else 0.0
    hedged, definite, length = hedging_factor(said), has_specifics(said), brevity_factor(long)
    titles = [one.passage.document.title for one in apart]
    consistent = (
        words(wording.CONFLICT_FACTOR, one=titles[0], other=titles[-1]) if titles else words(wording.CONSISTENCY_FACTOR)
    )
    told = (
        ("answers", answerable, wording.factor_line(wording.ANSWERABILITY_FACTOR, answerable, words)),
        ("relevance", relevance, wording.factor_line(wording.RELEVANCE_FACTOR, relevance, words)),
        ("terms", coverage, wording.factor_line(wording.TERMS_FACTOR, coverage, words)),
        ("supported", _share(sentences), words.pluralize(wording.SUPPORT_FACTOR, len(sentences), supported=supported)),
        ("agreement", min(others / 2, 1.0), words.pluralize(wording.AGREEMENT_FACTOR, others)),
        ("consistent", float(not apart), consistent),
        ("sources", min(sources / 3, 1.0), words.pluralize(wording.CITED_FACTOR, sources)),
        ("wording", hedged, words(HEDGING_MESSAGES[hedged])),
        ("specifics", float(definite), words(wording.FIGURES_FACTOR if definite else wording.NO_FIGURES_FACTOR)),
        ("length", length, words.pluralize(wording.LENGTH_FACTOR, long)),
    )
    return tuple(ConfidenceFactor(name=name, value=value, text=text) for name, value, text in told)


def _read(
    sentences: Sequence[tuple[DraftSentence, Judgement]], generator: str, words: Translator
) -> tuple[ConfidenceFactor, ...]:
    """Who read what words do not decide, and whether that says more than the answer."""
    shown = [judgement for _, judgement in sentences if judgement.is_supported]
    found: list[ConfidenceFactor] = []
    for name in dict.fromkeys(judgement.judge for judgement in shown if judgement.judge):
        own = name == generator
        text = words(wording.JUDGED_BY_WRITER if own else wording.JUDGED_BY_ANOTHER, name=name)
        found.append(ConfidenceFactor(name="read", value=float(not own), text=text))
    if any(judgement.omitted_conditions for judgement in shown):
        found.append(ConfidenceFactor(name="more", value=0.0, text=words(wording.CONDITION_MISSING)))
    return tuple(found)


def _missing(found: AnswerabilitySignals | None, said: str, words: Translator) -> str:
    """Why nothing is asserted, where that can be told."""
    if found is None or not said:
        return ""
    reasons = (
        (found.negation, wording.NOT_NEGATED),
        (found.names_missing, wording.NAMES_MISSING),
        (found.numbers_missing, wording.NUMBERS_MISSING),
    )
    return next((words(text) for flag, text in reasons if flag), "")
