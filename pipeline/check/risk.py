"""What a claim says that its passages do not: a figure that none has is refused, a name is read, and so is what leaves
much open."""

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

_COUNTS = 12
"""A whole number up to this one without a unit may be counted rather than read: `there are three ways`."""
_OPENS = re.compile(r"[:.!?…\"“(\[*_•|/°0-9]\W*$|^\W*$")
_SHORTENED = re.compile("['’].*")
_SAME_NAME = 4
"""Words that begin with the same four letters may be forms of one name: `Europe`, `European`."""


def find_unsupported_figure(claim: str, passages: Sequence[RetrievedChunk], question: str) -> str:
    """The first number, date or unit that no passage has, nor its title, headings or file name, nor the question;
    empty when there is none."""
    text = blank_out_labels(claim)
    found = find_figures(text)
    wanted = [fact for fact in found if not _counted(fact)] + (find_rates(lowercase_text(text)) if found else [])
    known = [question, *map(_said, passages)] if wanted else []
    strange = (fact for fact in wanted if not any(_facts(one).contains(fact) for one in known))
    return next((text[fact.start : fact.end].strip() for fact in strange), "")


def find_unsupported_name(claim: str, passages: Sequence[RetrievedChunk], heard: str) -> str:
    """The first name that is neither in or above a passage nor in what was `heard`; empty when there is none."""
    text = blank_out_labels(claim)
    names = _names(text)
    if not names:
        return ""
    known = frozenset().union(_words(heard), *(_words(_said(passage)) for passage in passages))
    inside = {place for fact in find_figures(text) for place in range(fact.start, fact.end)}
    return next((name for name, start in names if start not in inside and not _has(name, known)), "")


def _said(passage: RetrievedChunk) -> str:
    document, chunk = passage.document, passage.chunk
    return "\n".join((chunk.text, document.title, *chunk.heading, document.filename, document.product))


@lru_cache(maxsize=256)
def _facts(text: str) -> SourceFacts:
    return SourceFacts(text)


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    """The words of a text with their stems and beginnings."""
    words = {_word(word) for word in WORD.findall(text)}
    return frozenset(words | {word[:_SAME_NAME] for word in words if len(word) > _SAME_NAME})


def _word(word: str) -> str:
    return stem(bare(word.lower()))


def _counted(fact: Quantity | PartialDate) -> bool:
    return isinstance(fact, Quantity) and not fact.unit and fact.value.isdigit() and int(fact.value) <= _COUNTS


def _names(text: str) -> list[tuple[str, int]]:
    """Words with a capital where no sentence begins; none of a text that is written like a title."""
    found = [match for match in WORD.finditer(text) if _SHORTENED.sub("", match.group().lower()) not in STOP_WORDS]
    capitals = [match for match in found if match.group()[0].isupper()]
    if 2 * len(capitals) > len(found):
        return []
    return [(match.group(), match.start()) for match in capitals if not _OPENS.search(text[: match.start()])]


def _has(name: str, words: frozenset[str]) -> bool:
    word = _word(name)
    return word in words or name.lower() in words or (len(word) >= _SAME_NAME and word[:_SAME_NAME] in words)


# --- How much its sources leave open --------------------------------------------------------------

SUPPORT_WINDOW = 3
"""Sentences of a source that may support one claim together."""
FACT_WEIGHT, NAME_WEIGHT, NEW_WORD_WEIGHT, SCATTER_WEIGHT = 4.0, 2.0, 0.5, 1.0
"""Weights of a number or date, a name, other words that no source has, and of words that stand too far apart.

Round numbers set by hand, not fitted, with the development halves of wice and ragtruth_qa in view. Changing any one of
them by about half moved the AUROC on either by at most .006."""
_MOST = 2
"""Numbers, and names, that are counted: one more does not make a claim falser."""
_FEW = 4.0
"""Of a short claim, a missing word tells less."""
EVEN_RISK = 2.0
"""Hazard at which a claim is `worth` one half."""
_ALIKE = 5
"""Words that begin with the same five letters count as the same: `renew` and `renewal`."""
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
"""Stems of words that tie an answer together and claim nothing by themselves."""


def claim_risk(claim: str, passages: Sequence[RetrievedChunk], question: str) -> float:
    """0 when the passages together hold every word and fact of the claim; adds up over the sentences of an answer.

    Titles, headings and the words of the `question` need no other source."""
    sources = [_source(passage, question) for passage in passages]
    text = blank_out_labels(claim)
    names: set[str] = set()
    wanted: dict[str, None] = {}
    for place, match in enumerate(WORD.finditer(text)):
        found = [term for term in _content(match.group()) if term not in DISCOURSE]
        wanted.update(dict.fromkeys(found))
        if (place and match.group()[0].isupper()) or any(map(str.isdigit, match.group())):
            names.update(found)
    new = {term for term in wanted if not any(source.knows(term) for source in sources)}
    held = max((source.together(wanted) for source in sources), default=0)
    loose = 1 - held / len(wanted) if wanted else 0.0
    facts = [fact for fact in find_facts(text) if not any(source.facts.contains(fact) for source in sources)]
    return (
        FACT_WEIGHT * min(len(facts), _MOST)
        + NAME_WEIGHT * min(len(new & names), _MOST)
        + NEW_WORD_WEIGHT * len(new) * loose
        + SCATTER_WEIGHT * loose * len(wanted) / (len(wanted) + _FEW)
    )


def risk_probability(hazard: float, even: float) -> float:
    """A hazard as a number between 0 and 1, one half at `even`."""
    return 1 - math.exp(-math.log(2) * hazard / even)


def support_score(claim: str, passages: Sequence[RetrievedChunk], question: str) -> float:
    """1 for a claim of which the passages hold every word and fact, less the more they leave open."""
    return 1 - risk_probability(claim_risk(claim, passages, question), EVEN_RISK)


@lru_cache(maxsize=16384)
def _content(text: str) -> tuple[str, ...]:
    """Stems of the content words; numbers are facts, not words."""
    return tuple(term for term in content_terms(text) if not term[0].isdigit() and not is_number_word(term))


class _Source:
    """The words and facts of one passage, by unit."""

    def __init__(self, text: str, units: Sequence[tuple[int, int]], around: str) -> None:
        self.facts = SourceFacts(f"{text}\n{around}")
        self._around = _begun(_content(around))
        self._units = [_begun(_content(text[start:end])) for start, end in units]
        self._all = self._around.union(*self._units)

    def knows(self, term: str) -> bool:
        return _alike(term, self._all)

    def together(self, wanted: Iterable[str]) -> int:
        """How many of the terms the best few units in a row hold."""
        near = [{place for place, unit in enumerate(self._units) if _alike(term, unit)} for term in wanted]
        always = [_alike(term, self._around) for term in wanted]
        windows = range(max(1, len(self._units) - SUPPORT_WINDOW + 1))
        return max(
            sum(
                above or not places.isdisjoint(range(first, first + SUPPORT_WINDOW))
                for above, places in zip(always, near, strict=True)
            )
            for first in windows
        )


def _begun(found: Iterable[str]) -> set[str]:
    """Terms, and the beginnings of the long ones."""
    known = set(found)
    return known | {f"{term[:_ALIKE]}-" for term in known if len(term) >= _ALIKE}


def _alike(term: str, known: set[str]) -> bool:
    return term in known or (len(term) >= _ALIKE and f"{term[:_ALIKE]}-" in known)


def _source(passage: RetrievedChunk, question: str) -> _Source:
    chunk = passage.chunk
    units = tuple((unit.start, unit.end) for unit in chunk.units)
    return _indexed(chunk.text, units, "\n".join((passage.document.title, *chunk.heading, question)))


@lru_cache(maxsize=512)
def _indexed(text: str, units: tuple[tuple[int, int], ...], around: str) -> _Source:
    return _Source(text, units, around)
