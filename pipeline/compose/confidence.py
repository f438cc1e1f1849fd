"""How sure an answer is: computed from what was found and what was written, never asked of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from pipeline import wording
from pipeline.compose import manner
from pipeline.compose.completeness import more_rows
from pipeline.read import figures
from pipeline.read.asked import AnswerType, Asked, holds, read
from pipeline.read.evidence import Candidate, gather
from pipeline.read.requirements import contradicting
from pipeline.read.signals import Signals, signals
from pipeline.read.weights import WITH_VECTORS, WORDS_ONLY
from pipeline.values import Confidence, Factor, Judgement, Level, RetrievedChunk, Sentence, Value

HIGH = 0.7
MEDIUM = 0.6
"""On squad2, unanswerable questions included, three of four extracts at HIGH are right, below MEDIUM two of five."""
ABSTAIN_BELOW = 0.5
"""One threshold for every set: the best mean of balanced accuracy over the development sets (`docs/quality.md`)."""
HOPELESS_BELOW = 0.1
"""Below it one question of sixteen on squad2 can be answered (`docs/quality.md`): no model is asked."""
MODEL_DOUBT = 0.5
"""The share of the doubt that is left when a model found an answer that stands up to the check. Not measured."""
AGREEMENT, SPECIFICS = 0.1, 0.05
"""The share of the doubt that two agreeing documents, and definite figures, take away."""
AGREES = 0.9
"""How near to the best sentence one of another document must score to count as saying it too."""
UNSURE = HIGH - 0.01
"""The most that an answer can score whose documents differ, that lacks a name or number of the question or what is
asked of a row, that may not have all rows, or that gives no reason where why was asked."""
DOUBTFUL = MEDIUM - 0.01
"""The most that an answer can score to a yes-or-no question about something that no passage names."""


class Assessment(Value):
    """What is thought of a draft as a whole."""

    confidence: Confidence
    sufficient: bool
    """The passages hold an answer."""
    abstain: bool
    """Better not shown, if it is an extract: what a model wrote stands when it passed the check."""
    abstain_reason: str = ""
    differing: tuple[Sentence, ...] = ()
    """Two sentences of different documents that say the same with different figures, or one what the other negates."""
    more_rows: bool = False
    """The table rows of an extract may not be all that fit."""


def assess(
    question: str,
    passages: Sequence[RetrievedChunk],
    sentences: Sequence[tuple[Sentence, Judgement]],
    *,
    generator: str,
    several: bool = False,
) -> Assessment:
    """Judge a draft of `generator` (`extractive`, or a model's name) with the verdict on each of its sentences;
    `several`: the question compares, or asks more than one thing."""
    asked = read(question)
    evidence = gather(asked, passages)
    found = signals(asked, evidence, several=several)
    answerable = answerability(found)
    supported = [sentence.text for sentence, judgement in sentences if judgement.supported]
    said = " ".join(supported)
    by_model = generator != "extractive"
    more = not by_model and more_rows(evidence, supported)
    differing = figures.differing(evidence) or contradicting(asked, evidence)
    factors = _factors(answerable, found, passages, evidence, sentences, said, differing)
    values = {factor.name: factor.value for factor in factors}
    worth = _combined(values, answerable, by_model=by_model)
    unsure = more or _unsure(asked, found, said) or not values["consistent"]
    most = DOUBTFUL if found and found.subject_missing else UNSURE if unsure else 1.0
    score = min(worth * values["length"], most)
    level = Level.HIGH if score >= HIGH else Level.MEDIUM if score >= MEDIUM else Level.LOW
    to_the_point = asked.wanted is None or holds(asked.wanted, said)
    shown = worth if to_the_point else score
    abstain = not said or shown < ABSTAIN_BELOW
    return Assessment(
        confidence=Confidence(level=level, score=score, reasons=factors),
        sufficient=has_sufficient_context(answerable, said),
        abstain=abstain,
        abstain_reason=_missing(found, said) if abstain else "",
        differing=tuple(Sentence(text=one.text, chunk_ids=(one.chunk_id,), opens=True) for one in differing),
        more_rows=more,
    )


def hopeless(question: str, passages: Sequence[RetrievedChunk]) -> bool:
    """Whether `passages` hardly can answer `question`, whoever writes."""
    asked = read(question)
    return answerability(signals(asked, gather(asked, passages))) < HOPELESS_BELOW


def answerability(found: Signals | None) -> float:
    """0 to 1: how likely passages with these signals are to answer the question, if half of all questions can be."""
    if found is None:
        return 0.0
    weights = WITH_VECTORS if found.cosine > 0 else WORDS_ONLY
    values = asdict(found) | {"bias": 1.0}
    return 1 / (1 + math.exp(-sum(weight * values[name] for name, weight in weights.items())))


def has_sufficient_context(answerable: float, said: str) -> bool:
    """Whether the passages answer the question: likely enough, something supported was said, and it does not say no."""
    return bool(said) and answerable >= ABSTAIN_BELOW and manner.hedging(said) > manner.STRONG


def _combined(factors: dict[str, float], answerable: float, *, by_model: bool) -> float:
    """Answerability, less the doubt that agreement and figures take away, times what lowers it.

    The length lowers the score, but withholds no answer that has what was asked for: `MIT licence.` may be all."""
    doubt = (1 - answerable) * (MODEL_DOUBT if by_model else 1.0)
    doubt *= (1 - AGREEMENT * factors["agreement"]) * (1 - SPECIFICS * factors["specifics"])
    return (1 - doubt) * factors["supported"] * factors["wording"]


def _unsure(asked: Asked, found: Signals | None, said: str) -> bool:
    missing = found is None or bool(found.names_missing or found.numbers_missing or found.column_missing)
    return missing or (asked.wanted is AnswerType.REASON and not holds(asked.wanted, said))


def _factors(
    answerable: float,
    found: Signals | None,
    passages: Sequence[RetrievedChunk],
    evidence: Sequence[Sequence[Candidate]],
    sentences: Sequence[tuple[Sentence, Judgement]],
    said: str,
    differing: Sequence[Candidate],
) -> tuple[Factor, ...]:
    relevance = max((passage.score for passage in passages), default=0.0)
    supported = sum(judgement.supported for _, judgement in sentences)
    agreeing = 0 if differing else _agreeing(evidence)
    cited = {chunk_id for _, judgement in sentences if judgement.supported for chunk_id in judgement.chunk_ids}
    sources = len({passage.document.id for passage in passages if passage.chunk.id in cited})
    words = len(said.split())
    coverage = min(found.coverage, 1.0) if found else 0.0
    hedging, specific, length = manner.hedging(said), manner.specific(said), manner.brevity(words)
    return (
        Factor(name="answers", value=answerable, text=f"{answerable:.0%} likely that the passages hold the answer"),
        Factor(name="relevance", value=relevance, text=f"the best passage fits the question to {relevance:.0%}"),
        Factor(
            name="terms", value=coverage, text=f"{coverage:.0%} of what was asked is in or around the best sentence"
        ),
        Factor(
            name="supported",
            value=supported / len(sentences) if sentences else 0.0,
            text=f"{supported} of {wording.counted(len(sentences), 'sentence')} supported by the sources",
        ),
        Factor(
            name="agreement",
            value=min(agreeing / 2, 1.0),
            text=wording.counted(agreeing, "more document says", "more documents say") + " something as close",
        ),
        Factor(
            name="consistent",
            value=0.0 if differing else 1.0,
            text=" and ".join(one.passage.document.title for one in differing) + " do not agree"
            if differing
            else "no two documents disagree",
        ),
        Factor(
            name="sources",
            value=min(sources / 3, 1.0),
            text=wording.counted(sources, "document is cited", "documents are cited"),
        ),
        Factor(name="wording", value=hedging, text=manner.HEDGING[hedging]),
        Factor(
            name="specifics",
            value=float(specific),
            text="it has definite figures" if specific else "no definite figures",
        ),
        Factor(name="length", value=length, text=f"{wording.counted(words, 'word')} long"),
    )


def _agreeing(evidence: Sequence[Sequence[Candidate]]) -> int:
    """How many other documents have a sentence that fits the question nearly as well as the best one."""
    best: dict[str, float] = {}
    for units in evidence:
        for one in units:
            if one.says:
                document = one.passage.document.id
                best[document] = max(best.get(document, 0.0), one.coverage + one.cosine)
    top = max(best.values(), default=0.0)
    return max(0, sum(value >= AGREES * top for value in best.values()) - 1)


def _missing(found: Signals | None, said: str) -> str:
    """Why nothing is asserted, in words."""
    if found is None or not said:
        return "nothing in the documents stands up to the check"
    reasons = (
        (found.opposite, "the closest sentence says the opposite of what the question takes for granted"),
        (found.negation, "the question is about what is not so, and the closest sentence does not say that"),
        (found.another, "the closest sentence is about another one than the question names"),
        (found.names_missing, "the closest sentence does not mention everyone or everything that the question names"),
        (found.numbers_missing, "the closest sentence does not have the number that the question names"),
    )
    return next((text for flag, text in reasons if flag), "no sentence comes close enough to what was asked")
