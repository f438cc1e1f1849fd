"""What a source says, indexed so that a claim can be held against it word by word and fact by fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.facts import SPELLED, Date, Facts, Quantity, facts_of
from pipeline.text import WORD, stem, terms

_ALIKE = 5
"""Words that begin with the same five letters count as the same: `renew` and `renewal`."""
_NOWHERE: set[int] = set()
_LABEL = re.compile(
    r"^\W*\d{1,2}[.)](?:\s|$)"
    r"|\b(?:passage|source|document|option|question|answer)s?\s+#?\d+(?:(?:\s|,|and|&|or|to|-)+\d+)*",
    re.IGNORECASE,
)
"""Numbers that only count or name something in the answer itself."""
_NAME_RUN = re.compile(r"\b[A-Z]\w+(?:\s+(?:(?:of|the|and|for|in)\s+)?[A-Z]\w+){1,5}")
_CAPITALS = re.compile(r"\b(?:[A-Z]\.?){2,6}(?![\w])")
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


@dataclass(frozen=True, slots=True)
class Word:
    """One content term of a claim."""

    term: str
    start: int
    end: int
    name: bool
    """Written with a capital inside the sentence, or with a figure: `b12`."""


@dataclass(frozen=True, slots=True)
class Said:
    """A claim, read."""

    text: str
    words: tuple[Word, ...]
    facts: tuple[Quantity | Date, ...]
    terms: tuple[str, ...]
    """The distinct terms of `words`."""


def read(claim: str) -> Said:
    """The content words, numbers and dates of a claim; discourse words and labels are left out."""
    bare = _LABEL.sub(lambda match: " " * len(match.group()), claim)
    found = tuple(
        Word(term, match.start(), match.end(), name)
        for place, match in enumerate(WORD.finditer(bare))
        for name in [_is_name(match.group(), place)]
        for term in content(match.group())
        if term not in DISCOURSE
    )
    distinct = tuple(dict.fromkeys(word.term for word in found))
    return Said(bare, found, tuple(facts_of(bare)), distinct)


def _is_name(word: str, place: int) -> bool:
    return (place > 0 and word[0].isupper()) or any(character.isdigit() for character in word)


@lru_cache(maxsize=16384)
def content(text: str) -> tuple[str, ...]:
    """Stems of the content words; numbers are facts, not words."""
    return tuple(term for term in terms(text) if not term[0].isdigit() and term not in SPELLED)


class Vocabulary:
    """A set of terms in which words of the same beginning count as the same."""

    __slots__ = ("_beginnings", "_terms")

    def __init__(self, found: Iterable[str]) -> None:
        self._terms = frozenset(found)
        self._beginnings = frozenset(term[:_ALIKE] for term in self._terms if len(term) >= _ALIKE)

    def __contains__(self, term: str) -> bool:
        return term in self._terms or (len(term) >= _ALIKE and term[:_ALIKE] in self._beginnings)


class Ground:
    """One source: `text`, its `units` (start and end, in order), and what else its reader sees `around` it (title,
    headings)."""

    def __init__(self, text: str, units: Sequence[tuple[int, int]], around: str = "") -> None:
        self.units = units
        self.facts = Facts(f"{text}\n{around}")
        self._around = Vocabulary(content(around))
        self._short = _initials(f"{text}\n{around}")
        self._places: dict[str, set[int]] = {}
        for place, (start, end) in enumerate(units):
            for term in content(text[start:end]):
                self._places.setdefault(term, set()).add(place)
                if len(term) > _ALIKE:
                    self._places.setdefault(term[:_ALIKE] + "-", set()).add(place)
                elif len(term) == _ALIKE:
                    self._places.setdefault(term + "-", set()).add(place)

    def where(self, term: str) -> set[int]:
        """The units that have a term."""
        exact = self._places.get(term, _NOWHERE)
        return exact | self._places.get(term[:_ALIKE] + "-", _NOWHERE) if len(term) >= _ALIKE else exact

    def knows(self, term: str) -> bool:
        return bool(self.where(term)) or term in self._around

    def abbreviates(self, name: str) -> bool:
        """Whether the source has these initials of a name, or a name with these initials."""
        return name in self._short

    def covered(self, wanted: Sequence[str], size: int) -> int:
        """How many of the `wanted` terms the best window of `size` units holds."""
        last = max(0, len(self.units) - size)
        counts = [0] * (last + 1)
        always = 0
        for term in wanted:
            if term in self._around:
                always += 1
                continue
            for start in {
                start for place in self.where(term) for start in range(max(0, place - size + 1), min(place, last) + 1)
            }:
                counts[start] += 1
        return max(counts) + always


def _initials(text: str) -> frozenset[str]:
    return frozenset(short for short, _ in _shortened(text))


def abbreviations(claim: str) -> dict[str, str]:
    """Every term of the claim's names and initials, with the initials that stand for it."""
    return {term: short for short, written in _shortened(claim) for term in content(written)}


def _shortened(text: str) -> Iterator[tuple[str, str]]:
    """Initials, and names of several words with theirs; each with the way it is written."""
    for match in _CAPITALS.finditer(text):
        yield match.group().replace(".", "").lower(), match.group()
    for match in _NAME_RUN.finditer(text):
        yield "".join(word[0] for word in match.group().split() if word[0].isupper()).lower(), match.group()
