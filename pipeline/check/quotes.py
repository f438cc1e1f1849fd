"""Where a claim stands word for word in its passages, and what it loses when it is cut out of its sentence."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.conditions import cut_off, left_out
from pipeline.check.facts import lowered
from pipeline.check.ground import Vocabulary, content
from pipeline.check.negation import bound, governs, qualified
from pipeline.check.sources import ordered
from pipeline.values import BlockKind, RetrievedChunk

_PLACES = 20
"""So many places of a short text are looked at in one passage."""
_SAYS = re.compile(r"[^\W_]")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Quote:
    """One place of a passage that has the words of a claim, white space aside."""

    passage: RetrievedChunk
    start: int
    end: int
    first: int
    last: int
    """The units it stands in."""

    @property
    def text(self) -> str:
        return self.passage.chunk.text[self.start : self.end]

    @property
    def begin(self) -> int:
        """Where its first unit begins."""
        return min(self.start, self.passage.chunk.units[self.first].start)

    @property
    def stop(self) -> int:
        """Where its last unit ends."""
        return max(self.end, self.passage.chunk.units[self.last].end)

    @property
    def whole(self) -> bool:
        """Whether nothing of its units is left out but marks."""
        text = self.passage.chunk.text
        return not (_SAYS.search(text, self.begin, self.start) or _SAYS.search(text, self.end, self.stop))

    @property
    def code(self) -> bool:
        """Whether it stands in code."""
        return self.passage.chunk.units[self.first].kind is BlockKind.CODE

    @property
    def ordered(self) -> bool:
        """Whether it stands among the orders that the passage gives to an assistant."""
        return any(ordered(self.passage, place) for place in range(self.first, self.last + 1))

    def loss(self, question: str) -> str:
        """What its units say that turns it when it stands alone; empty when nothing does."""
        if self.whole:
            return ""
        unit = self.passage.chunk.text[self.begin : self.stop]
        start, end = self.start - self.begin, self.end - self.begin
        if governs(unit, start, end):
            return "it leaves out a negation of the passage"
        if qualified(unit, start) or (self.text[0].isdigit() and bound(unit, start)):
            return "it leaves out how much the passage says"
        if cut_off(unit, start):
            return "it cuts off the word that makes it a condition"
        return left_out(self.text, unit, Vocabulary(content(question)))


def quotes(claim: str, named: Sequence[RetrievedChunk], *, fold: bool = False) -> list[Quote]:
    """The places that say the claim word for word, those among orders to an assistant included; `fold` ignores case."""
    wanted = " ".join((lowered(claim) if fold else claim).split())
    if not wanted:
        return []
    return [
        _quote(passage, start, end)
        for passage in named
        if passage.chunk.units
        for start, end in _places(wanted, lowered(passage.chunk.text) if fold else passage.chunk.text)
    ]


def _quote(passage: RetrievedChunk, start: int, end: int) -> Quote:
    units = passage.chunk.units
    inside = [place for place, unit in enumerate(units) if unit.start < end and start < unit.end] or [0]
    return Quote(passage, start, end, inside[0], inside[-1])


def _places(wanted: str, text: str) -> list[tuple[int, int]]:
    """Where `wanted` stands in `text`; where it does not as it is, with other white space."""
    if found := list(_apart(wanted, text)):
        return found
    spaced = list(_apart(wanted, _spaced_once(text)))
    origin = _origin(text) if spaced else ()
    return [(origin[start], origin[end - 1] + 1) for start, end in spaced]


def _apart(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Where `wanted` stands in `text` without beginning or ending inside a word."""
    at = text.find(wanted)
    for _ in range(_PLACES):
        if at < 0:
            return
        end = at + len(wanted)
        begun = wanted[0].isalnum() and text[max(0, at - 1) : at].isalnum()
        if not begun and not (wanted[-1].isalnum() and text[end : end + 1].isalnum()):
            yield at, end
        at = text.find(wanted, at + 1)


@lru_cache(maxsize=64)
def _spaced_once(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=64)
def _origin(text: str) -> array[int]:
    """Where each character of `text` with single spaces stands in `text`."""
    origin = array("l")
    for match in _WORD.finditer(text):
        if origin:
            origin.append(match.start() - 1)
        origin.extend(range(match.start(), match.end()))
    return origin
