"""How sure an answer is: one number, computed from what was found and what was written, never asked of a model.

The level is read off it, and so is whether an extract is shown at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.read.candidates import Candidate
from pipeline.read.differing import days, differing
from pipeline.read.evidence import Evidence, titled
from pipeline.read.signals import Signals, agreeing, answerability, signals
from pipeline.read.verdict import verdict
from pipeline.translations import ENGLISH, Words
from pipeline.values import (
    LISTED,
    BlockKind,
    Confidence,
    Extent,
    Factor,
    Judgement,
    Level,
    Sentence,
    Value,
)
from pipeline.words import wording
from pipeline.words.text import length as count_of_words
from pipeline.words.text import word_pattern

# --- How something is said: hedged or definite, long or short -------------------------------------

STRONG, MODERATE = 0.6, 0.8
"""What each kind of hedging leaves of the confidence."""
HEDGING = {
    STRONG: wording.HEDGED,
    MODERATE: wording.CAUTIOUS,
    1.0: wording.DEFINITE,
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
def hedging(text: str) -> float:
    """STRONG, MODERATE or 1."""
    return STRONG if _STRONG.search(text) else MODERATE if _MODERATE.search(text) else 1.0


def specific(text: str) -> bool:
    """Whether there is an amount, a percentage, a length of time or a year."""
    return bool(_SPECIFIC.search(text))


def brevity(words: int) -> float:
    """The factor for an answer of so many words: few words lower the confidence."""
    return next((factor for limit, factor in _SHORT if words < limit), 1.0)


# --- How sure it is -------------------------------------------------------------------------------

HIGH, MEDIUM = 0.8, 0.6
"""On squad2 .76 of the extracts at HIGH are right, .97 where unanswerable questions are left out."""
ABSTAIN_BELOW = 0.45
"""Balanced accuracy over squad2, clapnq and mtrag_cloud is .640, .751 and .664 (of 3,432 questions); at .40 .631, .755
and .663, and of 100 that could be answered seven fewer are declined."""
SPECIFICS = 0.05
"""The share of the doubt that definite figures take away (specification B)."""
RISKY = 0.7
"""The score of a judged sentence below which an answer is not HIGH: of 147 false claims of our own that a judge passed
32 are then HIGH (51 at .5), of people's answers of clapnq that were judged .663 (.686)."""
UNSURE = HIGH - 0.01
"""The most that an answer can score that is not certain in itself, whatever the passages are."""
EXTRACTIVE = "extractive"


class Assessment(Value):
    """What is thought of a draft as a whole."""

    confidence: Confidence
    sufficient: bool
    """The passages hold an answer."""
    abstain: bool
    """Better not shown, if it is an extract: what a model wrote stands when it passed the check."""
    abstain_reason: str = ""
    differing: tuple[Sentence, ...] = ()
    """Two sentences of different documents that give different values for the same thing: where these are of different
    days the newer first, each with its day."""
    verdict: bool | None = None
    """Whether an extract answers a yes-or-no question by yes or by no; None where it says so or leaves it open."""
    extent: Extent | None = None
    """How much of a list is shown, where that is not all."""


def assess(
    evidence: Evidence,
    sentences: Sequence[tuple[Sentence, Judgement]],
    *,
    generator: str,
    several: bool = False,
    listing: bool = False,
    extent: Extent | None = None,
    words: Words = ENGLISH,
) -> Assessment:
    """Judge a draft of `generator` (`extractive`, or a model's name) with the verdict on each of its sentences;
    `several`: the question compares, or asks more than one thing; `listing`: it asks for a list or a procedure;
    `extent`: only a part of a list is shown."""
    asked, units = evidence.asked, evidence.units
    supported = [sentence for sentence, judgement in sentences if judgement.supported]
    found = signals(asked, units, several=several, listed=_listed(evidence, supported))
    answerable = answerability(found)
    lifted = (plain := evidence.unlifted()) is not evidence
    if lifted:
        own = signals(asked, plain.units, several=several, listed=_listed(plain, supported))
        answerable = min(answerable, answerability(own))
    said = " ".join(sentence.text for sentence in supported)
    apart = differing(asked, units)
    by_model = generator != EXTRACTIVE
    factors = (
        *_factors(answerable, found, evidence, sentences, said, apart, words),
        *_read(sentences, generator, words),
    )
    unlisted = listing and not by_model and not any(sentence.kind in LISTED for sentence in supported)
    far = by_model and answerable < ABSTAIN_BELOW
    hearsay = _hearsay(evidence, [judgement for _, judgement in sentences if judgement.supported])
    certain = _certain(found, sentences, generator) and not (extent or apart or unlisted or far or hearsay)
    score = min(_score(answerable, said, sentences, by_model=by_model), 1.0 if certain else UNSURE)
    shaky = lifted and not by_model and answerable < ABSTAIN_BELOW
    abstain = not said or score < ABSTAIN_BELOW or shaky
    texts = set() if by_model or apart or abstain else {sentence.text for sentence in supported}
    shown = [one for passage in units for one in passage if one.says and one.text in texts]
    return Assessment(
        confidence=Confidence(level=_level(score), score=score, reasons=factors),
        sufficient=has_sufficient_context(answerable, said),
        abstain=abstain,
        abstain_reason=_missing(found, said, words) if abstain else "",
        differing=tuple(
            Sentence(text=one.text, chunk_ids=(one.chunk_id,), opens=True, as_of=day)
            for one, day in zip(apart, days(apart), strict=True)
        ),
        verdict=verdict(asked, shown),
        extent=extent,
    )


def _hearsay(evidence: Evidence, supported: Sequence[Judgement]) -> bool:
    """Whether something rests on what people said in a channel, in a thread that nobody marked as solved."""
    cited = {chunk_id for judgement in supported for chunk_id in judgement.chunk_ids}
    threads = (one.document for one in evidence.passages if one.chunk.id in cited)
    return any(document.said_in and not document.solved for document in threads)


def retold(sentences: Sequence[tuple[Sentence, Judgement]], *, generator: str, words: Words = ENGLISH) -> Assessment:
    """Judge what sums up passages, whatever they are about: it is as good as its sentences stand in them."""
    shown = [judgement.score for _, judgement in sentences if judgement.supported]
    sure = _share(sentences) * sum(shown) / len(shown) if shown else 0.0
    score = min(sure, 1.0 if _witnessed(sentences, generator) else UNSURE)
    supported = words.count(wording.SUPPORTED, len(sentences), supported=len(shown))
    factors = (Factor(name="supported", value=_share(sentences), text=supported), *_read(sentences, generator, words))
    confidence = Confidence(level=_level(score), score=score, reasons=factors)
    return Assessment(confidence=confidence, sufficient=bool(shown), abstain=not shown)


def _level(score: float) -> Level:
    return Level.HIGH if score >= HIGH else Level.MEDIUM if score >= MEDIUM else Level.LOW


def _listed(evidence: Evidence, supported: Sequence[Sentence]) -> Candidate | None:
    """The first entry of the list, procedure or table that is all that is said, where it was asked for by its title."""
    said = {sentence.text for sentence in supported if sentence.kind in LISTED}
    if len(said) < 2 or any(sentence.kind is BlockKind.PROSE for sentence in supported[1:]):
        return None
    first = next((one for units in evidence.units for one in units if one.kind in LISTED and one.text in said), None)
    return first if first and titled(evidence, first) else None


def has_sufficient_context(answerable: float, said: str) -> bool:
    """Whether the passages answer the question: likely enough, something supported was said, and it does not say no."""
    return bool(said) and answerable >= ABSTAIN_BELOW and hedging(said) > STRONG


def _score(answerable: float, said: str, sentences: Sequence[tuple[Sentence, Judgement]], *, by_model: bool) -> float:
    """Answerability, raised by definite figures and lowered by what is unsupported, hedged or short.

    Where a model answered, it and the passages had to be mistaken: the doubt that is left is that of the passages times
    that of the sentences. Hedged or short wording alone withholds no extract: `MIT licence.` may be all."""
    doubt = 1 - answerable
    shown = [judgement.score for _, judgement in sentences if judgement.supported]
    if by_model and shown:
        doubt *= 1 - sum(shown) / len(shown)
    worth = (1 - doubt * (1 - SPECIFICS * specific(said))) * _share(sentences)
    plain = worth * hedging(said) * brevity(count_of_words(said))
    return plain if by_model else max(plain, min(worth, ABSTAIN_BELOW))


def _share(sentences: Sequence[tuple[Sentence, Judgement]]) -> float:
    """Of the sentences that are supported."""
    return sum(judgement.supported for _, judgement in sentences) / len(sentences) if sentences else 0.0


def _certain(found: Signals | None, sentences: Sequence[tuple[Sentence, Judgement]], generator: str) -> bool:
    """Whether nothing that is asked for is missing, a second reader takes the same passage for the best, and what was
    written stands. Of extracts of clapnq, squad2 and mtrag that score HIGH .60 are right where it does, .29 where not
    (54 and 14)."""
    missing = found is None or any((found.names_missing, found.numbers_missing, found.column_missing, found.elsewhere))
    return not missing and _witnessed(sentences, generator)


def _witnessed(sentences: Sequence[tuple[Sentence, Judgement]], generator: str) -> bool:
    """Whether what a model wrote stands in the passages, or was read by another model with little risk, as no more than
    they say."""
    shown = [judgement for _, judgement in sentences if judgement.supported]
    own = any(judgement.judge == generator or judgement.beside for judgement in shown)
    risky = generator != EXTRACTIVE and any(judgement.score < RISKY for judgement in shown)
    return not (own or risky)


def _factors(
    answerable: float,
    found: Signals | None,
    evidence: Evidence,
    sentences: Sequence[tuple[Sentence, Judgement]],
    said: str,
    apart: Sequence[Candidate],
    words: Words,
) -> tuple[Factor, ...]:
    relevance = max((passage.score for passage in evidence.passages), default=0.0)
    supported = sum(judgement.supported for _, judgement in sentences)
    others = 0 if apart else agreeing(evidence.units)
    cited = {chunk_id for _, judgement in sentences if judgement.supported for chunk_id in judgement.chunk_ids}
    sources = len({passage.document.id for passage in evidence.passages if passage.chunk.id in cited})
    long = count_of_words(said)
    coverage = found.coverage if found else 0.0
    hedged, definite, length = hedging(said), specific(said), brevity(long)
    titles = [one.passage.document.title for one in apart]
    consistent = words(wording.DISAGREE, one=titles[0], other=titles[-1]) if titles else words(wording.CONSISTENT)
    told = (
        ("answers", answerable, wording.factor(wording.ANSWERS, answerable, words)),
        ("relevance", relevance, wording.factor(wording.RELEVANCE, relevance, words)),
        ("terms", coverage, wording.factor(wording.TERMS, coverage, words)),
        ("supported", _share(sentences), words.count(wording.SUPPORTED, len(sentences), supported=supported)),
        ("agreement", min(others / 2, 1.0), words.count(wording.AGREEMENT, others)),
        ("consistent", float(not apart), consistent),
        ("sources", min(sources / 3, 1.0), words.count(wording.CITED, sources)),
        ("wording", hedged, words(HEDGING[hedged])),
        ("specifics", float(definite), words(wording.FIGURES if definite else wording.NO_FIGURES)),
        ("length", length, words.count(wording.LENGTH, long)),
    )
    return tuple(Factor(name=name, value=value, text=text) for name, value, text in told)


def _read(sentences: Sequence[tuple[Sentence, Judgement]], generator: str, words: Words) -> tuple[Factor, ...]:
    """Who read what words do not decide, and whether that says more than the answer."""
    shown = [judgement for _, judgement in sentences if judgement.supported]
    found: list[Factor] = []
    for name in dict.fromkeys(judgement.judge for judgement in shown if judgement.judge):
        own = name == generator
        text = words(wording.READ_BY_WRITER if own else wording.READ_BY_ANOTHER, name=name)
        found.append(Factor(name="read", value=float(not own), text=text))
    if any(judgement.beside for judgement in shown):
        found.append(Factor(name="more", value=0.0, text=words(wording.SAYS_MORE)))
    return tuple(found)


def _missing(found: Signals | None, said: str, words: Words) -> str:
    """Why nothing is asserted, where that can be told."""
    if found is None or not said:
        return ""
    reasons = (
        (found.negation, wording.NOT_NEGATED),
        (found.names_missing, wording.NAMES_MISSING),
        (found.numbers_missing, wording.NUMBERS_MISSING),
    )
    return next((words(text) for flag, text in reasons if flag), "")
