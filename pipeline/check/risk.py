"""The risk of a claim: an unsupported figure is refused; an unsupported name, or much that is left open, needs a
judge."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pipeline.values import RetrievedChunk
from pipeline.words.facts import (
    PartialDate,
    Quantity,
    SourceFacts,
    blank_out_labels,
    find_facts,
    find_figures,
    find_rates,
    lowercase_text,
)
from pipeline.words.numbers import is_number_word
from pipeline.words.text import STOP_WORDS, WORD, content_terms, stem
from pipeline.words.text import strip_accents as bare

# --- What no passage has --------------------------------------------------------------------------
# Precise rather than complete: what is not refused is read.

_MAX_COUNT = 12
"""Largest whole number without a unit that may be a count of the writer's own: `there are three ways`."""
_SENTENCE_OPENING = re.compile(r"[:.!?…\"“(\[*_•|/°0-9]\W*$|^\W*$")
_CONTRACTION = re.compile("['’].*")
_NAME_PREFIX = 4
"""Length of a common beginning from which two words may be forms of one name: `Europe`, `European`."""


def find_unsupported_figure(claim: str, passages: Sequence[RetrievedChunk], question: str) -> str:
    """Return the first number, date or unit that is in no passage, nor its title, headings or file name, nor the
    question; empty when there is none."""
    text = blank_out_labels(claim)
    figures = find_figures(text)
    facts = [fact for fact in figures if not _is_small_count(fact)] + (
        find_rates(lowercase_text(text)) if figures else []
    )
    sources = [question, *map(_source_text, passages)] if facts else []
    unsupported = (fact for fact in facts if not any(_source_facts(source).contains(fact) for source in sources))
    return next((text[fact.start : fact.end].strip() for fact in unsupported), "")


def find_unsupported_name(claim: str, passages: Sequence[RetrievedChunk], history_text: str) -> str:
    """Return the first name that is neither in or above a passage nor in `history_text`; empty when there is none."""
    text = blank_out_labels(claim)
    names = _find_names(text)
    if not names:
        return ""
    known_words = frozenset().union(
        _word_forms(history_text), *(_word_forms(_source_text(passage)) for passage in passages)
    )
    figure_offsets = {place for fact in find_figures(text) for place in range(fact.start, fact.end)}
    return next((name for name, start in names if start not in figure_offsets and not _is_known(name, known_words)), "")


def _source_text(passage: RetrievedChunk) -> str:
    document, chunk = passage.document, passage.chunk
    return "\n".join((chunk.text, document.title, *chunk.heading, document.filename, document.product))


@lru_cache(maxsize=256)
def _source_facts(text: str) -> SourceFacts:
    return SourceFacts(text)


@lru_cache(maxsize=256)
def _word_forms(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, and their beginnings."""
    words = {_normalize(word) for word in WORD.findall(text)}
    return frozenset(words | {word[:_NAME_PREFIX] for word in words if len(word) > _NAME_PREFIX})


def _normalize(word: str) -> str:
    return stem(bare(word.lower()))


def _is_small_count(fact: Quantity | PartialDate) -> bool:
    return isinstance(fact, Quantity) and not fact.unit and fact.value.isdigit() and int(fact.value) <= _MAX_COUNT


def _find_names(text: str) -> list[tuple[str, int]]:
    """Return the capitalised words that begin no sentence; none of a text that is written like a title."""
    words = [match for match in WORD.finditer(text) if _CONTRACTION.sub("", match.group().lower()) not in STOP_WORDS]
    capitals = [match for match in words if match.group()[0].isupper()]
    if 2 * len(capitals) > len(words):
        return []
    return [(match.group(), match.start()) for match in capitals if not _SENTENCE_OPENING.search(text[: match.start()])]


def _is_known(name: str, words: frozenset[str]) -> bool:
    word = _normalize(name)
    return word in words or name.lower() in words or (len(word) >= _NAME_PREFIX and word[:_NAME_PREFIX] in words)


# --- How much its sources leave open --------------------------------------------------------------

SUPPORT_WINDOW = 3
"""Number of consecutive sentences of a source that may support one claim count_together."""
FACT_WEIGHT, NAME_WEIGHT, NEW_WORD_WEIGHT, SCATTER_WEIGHT = 4.0, 2.0, 0.5, 1.0
"""Weights of a number or date, a name, other words that no source has, and of words that stand too far apart.

Round numbers set by hand, not fitted, with the development halves of wice and ragtruth_qa in view. Changing any one of
them by about half moved the AUROC on either by at most .006."""
_MAX_COUNTED = 2
"""Maximum number of figures, and of names, that count: one more does not make a claim falser."""
_SHORT_CLAIM = 4.0
"""Damping for short claims, of which a missing word tells less."""
EVEN_RISK = 2.0
"""Hazard at which the support score is one half."""
_WORD_PREFIX = 5
"""Length of a common beginning from which two words count as the same: `renew` and `renewal`."""
DISCOURSE = frozenset(
    stem(word)
    for word in """
    according passage passages provided text source sources information mention mentioned mentions mentioning specific
    specifically however therefore additionally overall also include includes including included such various several
    generally typically usually often may might can could would should based following follows answer question context
    given note important ensure refer refers referred reference related different example instance furthermore moreover
    addition summary conclusion conclude unable does state states stated not explicitly directly provide provides
    providing details detail further help helps make makes making need needs use used using way ways like many much
    some these those step steps process involve involves depend depends depending factors factor known called commonly
    since while although though because due thus hence finally lastly next then once per within without
    """.split()
)
"""Stems of words that connect an answer and claim nothing by themselves."""


def claim_risk(claim: str, passages: Sequence[RetrievedChunk], question: str) -> float:
    """Return the hazard of a claim: 0 when the passages together hold every word and fact of it; hazards add up over
    the sentences of an answer.

    Titles, headings and the words of the `question` need no other source."""
    sources = [_make_source(passage, question) for passage in passages]
    text = blank_out_labels(claim)
    name_terms: set[str] = set()
    claim_terms: dict[str, None] = {}
    for place, match in enumerate(WORD.finditer(text)):
        terms = [term for term in _content_stems(match.group()) if term not in DISCOURSE]
        claim_terms.update(dict.fromkeys(terms))
        if (place and match.group()[0].isupper()) or any(map(str.isdigit, match.group())):
            name_terms.update(terms)
    new_terms = {term for term in claim_terms if not any(source.knows(term) for source in sources)}
    shared = max((source.count_together(claim_terms) for source in sources), default=0)
    loose = 1 - shared / len(claim_terms) if claim_terms else 0.0
    facts = [fact for fact in find_facts(text) if not any(source.facts.contains(fact) for source in sources)]
    return (
        FACT_WEIGHT * min(len(facts), _MAX_COUNTED)
        + NAME_WEIGHT * min(len(new_terms & name_terms), _MAX_COUNTED)
        + NEW_WORD_WEIGHT * len(new_terms) * loose
        + SCATTER_WEIGHT * loose * len(claim_terms) / (len(claim_terms) + _SHORT_CLAIM)
    )


def risk_probability(hazard: float, even: float) -> float:
    """Map a hazard to a number between 0 and 1, one half at `even`."""
    return 1 - math.exp(-math.log(2) * hazard / even)


def support_score(claim: str, passages: Sequence[RetrievedChunk], question: str) -> float:
    """Return 1 for a claim of which the passages hold every word and fact, less the more they leave open."""
    return 1 - risk_probability(claim_risk(claim, passages, question), EVEN_RISK)


@lru_cache(maxsize=16384)
def _content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the content words; numbers are facts, not words."""
    return tuple(term for term in content_terms(text) if not term[0].isdigit() and not is_number_word(term))


class _Source:
    """The words and facts of one passage, by unit."""

    def __init__(self, text: str, units: Sequence[tuple[int, int]], around: str) -> None:
        self.facts = SourceFacts(f"{text}\n{around}")
        self._context_terms = _with_prefixes(_content_stems(around))
        self._unit_terms = [_with_prefixes(_content_stems(text[start:end])) for start, end in units]
        self._all_terms = self._context_terms.union(*self._unit_terms)

    def knows(self, term: str) -> bool:
        return _has_term(term, self._all_terms)

    def count_together(self, wanted: Iterable[str]) -> int:
        """Return the largest number of the terms that a few units in a row hold."""
        unit_sets = [{index for index, unit in enumerate(self._unit_terms) if _has_term(term, unit)} for term in wanted]
        in_context = [_has_term(term, self._context_terms) for term in wanted]
        windows = range(max(1, len(self._unit_terms) - SUPPORT_WINDOW + 1))
        return max(
            sum(
                above or not places.isdisjoint(range(first, first + SUPPORT_WINDOW))
                for above, places in zip(in_context, unit_sets, strict=True)
            )
            for first in windows
        )


def _with_prefixes(terms: Iterable[str]) -> set[str]:
    """Return terms, and the beginnings of the long ones."""
    distinct = set(terms)
    return distinct | {f"{term[:_WORD_PREFIX]}-" for term in distinct if len(term) >= _WORD_PREFIX}


def _has_term(term: str, terms: set[str]) -> bool:
    return term in terms or (len(term) >= _WORD_PREFIX and f"{term[:_WORD_PREFIX]}-" in terms)


def _make_source(passage: RetrievedChunk, question: str) -> _Source:
    chunk = passage.chunk
    units = tuple((unit.start, unit.end) for unit in chunk.units)
    return _cached_source(chunk.text, units, "\n".join((passage.document.title, *chunk.heading, question)))


@lru_cache(maxsize=512)
def _cached_source(text: str, units: tuple[tuple[int, int], ...], around: str) -> _Source:
    return _Source(text, units, around)
