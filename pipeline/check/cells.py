"""Does a cell of a table stand in one unit of a passage?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.facts import figures
from pipeline.check.ground import Ground, content, split
from pipeline.check.quotes import quotes
from pipeline.check.rewording import held_against
from pipeline.check.sources import single, whole
from pipeline.read import layout
from pipeline.text import terms
from pipeline.values import BlockKind, RetrievedChunk

_SEPARATORS = re.compile(r"[:,;/](?=\s|$)|\s[|/](?=\s)")


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One unit of a passage."""

    passage: RetrievedChunk
    unit: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, int]:
        return self.passage.chunk.id, self.unit

    @property
    def kind(self) -> BlockKind:
        return self.passage.chunk.units[self.unit].kind

    @property
    def ground(self) -> Ground:
        return single(self.passage, self.unit).ground

    @property
    def text(self) -> str:
        return self.ground.text

    @property
    def header(self) -> str:
        return self.ground.headers[0]

    def says(self, wanted: Iterable[str]) -> bool:
        """Whether its text has all these terms."""
        return all(map(self.ground.where, wanted))

    def under(self, name: str) -> bool:
        """Whether a name stands word for word in its text or in the headings above."""
        around = f"{self.text} {layout.above(self.passage.chunk, self.unit)}".lower()
        return bool(re.search(rf"(?<![\w.]){re.escape(name.lower())}(?![\w]|\.\w)", around))

    def names(self, wanted: Iterable[str]) -> bool:
        """Whether its text or what stands above it has all these terms."""
        return all(map(self.ground.knows, wanted))


def texts(places: Iterable[Place]) -> list[str]:
    return list(dict.fromkeys(place.text for place in places))


def alike(one: str, other: str) -> bool:
    """Whether two cells are the same but for case and white space."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("|", "/").split())


def complete(cell: str, named: Sequence[RetrievedChunk]) -> list[Place]:
    """The units that are all of the cell; a table row may be spelled out, each cell behind the name of its column."""
    plain, spelled = _plain(cell), _spelled(cell)
    return [
        Place(passage, number)
        for passage in named
        for number, (text, row) in enumerate(_told(whole(passage).ground))
        if (plain == text or (row and spelled == row)) and not whole(passage).ordered(number)
    ]


@lru_cache(maxsize=64)
def _told(ground: Ground) -> list[tuple[str, str]]:
    """Each unit; and of a table row, the same spelled out."""
    found = []
    for number, header in enumerate(ground.headers):
        text = ground.sentence(number)
        names, cells = header.split(" | "), text.split(" | ")
        pairs = zip(names, cells, strict=True) if header and len(names) == len(cells) else ()
        found.append((_plain(text), _spelled(" ".join(f"{name} {cell}" for name, cell in pairs if cell))))
    return found


def _spelled(text: str) -> str:
    return " ".join(_SEPARATORS.sub(" ", text.lower()).split())


def has(cell: str, place: Place, question: str, *, near: str = "", alone: bool = True) -> bool:
    """Whether one unit has the cell, word for word or in other words; a cell of words such as `off` word for word,
    as a cell of a row, or in the part of a sentence that has something of the cell `near`. Unless it is `alone` on its
    unit, as what a row is about, it must not lose a negation or condition."""
    part = single(place.passage, place.unit)
    if part.ordered(0):
        return False
    if not terms(cell):
        return _exactly(cell, place, near)
    exact = [quote for quote in quotes(cell, [place.passage], fold=True) if quote.first == place.unit == quote.last]
    if exact:
        return not alone or any(not quote.loss(question) for quote in exact)
    held = any(part.ground.where(term) for term in content(cell)) or any(map(part.ground.facts.holds, figures(cell)))
    return held and held_against(cell, [part], question).supported


def _exactly(cell: str, place: Place, near: str) -> bool:
    if place.kind is BlockKind.ROW:
        return any(alike(found, cell) for found in place.text.split(" | "))
    return any(
        f" {cell.lower()} " in f" {' '.join(found.lower().strip(' .!?').split())} "
        and set(content(found)) & set(content(near))
        for found in split(place.text)
    )
