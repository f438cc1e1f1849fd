"""Is a row of a table supported? What its cells say of its first cell must be said of it where it stands.

`Berlin | 25 days` needs a sentence or row about Berlin that has 25 days: neither a passage that has both somewhere, nor
a row about Paris. In a comparison, whose header names the sides, each cell needs a sentence or row about its side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.check.cells import Place, alike, complete, has, texts
from pipeline.check.figures import exchanged
from pipeline.check.ground import Vocabulary, content
from pipeline.check.quotes import quotes
from pipeline.check.rewording import reworded
from pipeline.check.sources import whole
from pipeline.check.verdict import rejected, supported
from pipeline.text import terms, words
from pipeline.values import BlockKind, Judgement, RetrievedChunk

_BLANK = re.compile(r"[\s\-–—.…]*$")
_BAR = re.compile(r"(?:^|\s)\|(?:\s|$)")
_LIKELY = 20
"""So many units are looked at that have the first cell in other words."""


@dataclass(frozen=True)
class _Row:
    cells: tuple[str, ...]
    header: tuple[str, ...]
    """The row above, as long as this one; or empty."""
    named: Sequence[RetrievedChunk]
    question: str

    def said(self) -> list[int]:
        """The columns in which something stands."""
        return [column for column, cell in enumerate(self.cells) if not _BLANK.match(cell)]

    def name(self, column: int) -> str:
        """What stands above a cell."""
        return self.header[column] if self.header else ""

    def stands(self, column: int, place: Place) -> bool:
        return has(self.cells[column], place, self.question, near=self.cells[self.said()[0]])


def judge_row(text: str, named: Sequence[RetrievedChunk], question: str, header: str) -> Judgement:
    """Judge a row by its cells; `header` is the header row it stands under, empty when there is none."""
    cells, above = _cells(text), _cells(header)
    row = _Row(cells, above if header and len(above) == len(cells) else (), named, question)
    if not row.said():
        return rejected("it says nothing that could be checked")
    places = _record(row) or _comparison(row)
    if not places:
        forbidden = any(_only_ordered(cell, named) for cell in cells)
        return rejected("its cells are not said of the same thing", forbidden=forbidden)
    return supported(1.0, (place.passage for place in places), " | ".join(texts(places)))


def _only_ordered(cell: str, named: Sequence[RetrievedChunk]) -> bool:
    found = quotes(cell, named, fold=True)
    return bool(found) and all(quote.ordered for quote in found)


def judge_header(text: str, named: Sequence[RetrievedChunk], question: str) -> Judgement:
    """Judge a header row: every cell in the words of the question, or of the passages."""
    asked, found = {*terms(question), *words(question)}, []
    for cell in _cells(text):
        own = set(terms(cell)) or set(words(cell))
        if _BLANK.match(cell) or (own and own <= asked):
            continue
        exact = [quote for quote in quotes(cell, named, fold=True) if not quote.ordered]
        judged = supported(1.0, [exact[0].passage], exact[0].text) if exact else reworded(cell, named, question)
        if _only_ordered(cell, named):
            judged = rejected("it rests on an instruction to an assistant", forbidden=True)
        if not judged.supported:
            return judged
        found.append(judged)
    chunk_ids = dict.fromkeys(judged.chunk_ids[0] for judged in found)
    passages = [passage for passage in named if passage.chunk.id in chunk_ids]
    return supported(
        min((one.score for one in found), default=1.0), passages or named, " | ".join(one.quote for one in found)
    )


def _cells(text: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _BAR.split(text))


def _record(row: _Row) -> list[Place]:
    """Where every cell stands with the first one: in one unit, or in several sentences that all have the first."""
    _, *rest = row.said()
    about = _about(row, row.cells[row.said()[0]])
    fitting = [
        [place for place in about if row.stands(column, place) and _bound(row, column, place)] for column in rest
    ]
    for place in about:
        if all(place in places for places in fitting):
            return [place]
    prose = [
        [
            place
            for place in places
            if place.kind is not BlockKind.ROW and (not row.header or place.names(_own(row, column)))
        ]
        for column, places in zip(rest, fitting, strict=True)
    ]
    return [places[0] for places in prose] if all(prose) else []


def _about(row: _Row, cell: str) -> list[Place]:
    """The units that are about what a cell names: those that have it, else those under a title or heading that has."""
    exact = [Place(quote.passage, quote.first) for quote in quotes(cell, row.named, fold=True)]
    wanted = content(cell)
    counts = Counter(
        Place(passage, place) for passage in row.named for term in wanted for place in whole(passage).ground.where(term)
    )
    likely = [place for place, _ in counts.most_common(_LIKELY)]
    alone = len(row.said()) == 1
    found = [place for place in dict.fromkeys((*exact, *likely)) if has(cell, place, row.question, alone=alone)]
    below = [passage for passage in row.named if wanted and all(map(whole(passage).ground.above, wanted))]
    return found or [
        Place(passage, place)
        for passage in below
        for place in range(len(passage.chunk.units))
        if not whole(passage).ordered(place)
    ]


def _bound(row: _Row, column: int, place: Place) -> bool:
    """Whether a cell belongs in the unit to what its row and column name."""
    header, above = place.header, row.name(column)
    claim = f"{row.cells[row.said()[0]]} {above} {row.cells[column]}"
    if exchanged(claim, place.text, header):
        return False
    columns = _cells(header) if header else ()
    wanted = [number for number, name in enumerate(columns) if content(above) and _names(name, above)]
    cells = _cells(place.text)
    having = [number for number, cell in enumerate(cells) if alike(cell, row.cells[column])]
    return not wanted or not having or bool(set(wanted) & set(having))


def _names(name: str, above: str) -> bool:
    return all(term in Vocabulary(content(name)) for term in content(above))


def _comparison(row: _Row) -> list[Place]:
    """Where every cell stands under its side: a whole unit, or in a unit that names the side and the first cell."""
    found = []
    columns = row.said()
    for column in columns:
        wholly = [place for place in complete(row.cells[column], row.named) if _under(row, column, place)]
        if not wholly and column == 0 and row.header and len(columns) > 1:
            continue
        places = wholly or list(_beside(row, column))
        if not places:
            return []
        found.append(places[0])
    return found


def _under(row: _Row, column: int, place: Place) -> bool:
    """Whether a whole unit may stand in a column: it is about its side, or was found for it and names no other."""
    if not row.header:
        return True
    own = _own(row, column)
    if place.names(own) if own else place.under(row.header[column]):
        return True
    others = (number for number in range(len(row.header)) if number != column)
    return place.passage.query == column and not any(_named(row, number, place) for number in others)


def _named(row: _Row, column: int, place: Place) -> bool:
    """Whether a unit itself names a side; one that has no words of its own, such as `3.2`, also in a heading above."""
    own = _own(row, column)
    return place.says(own) if own else bool(row.header[column]) and place.under(row.header[column])


def _beside(row: _Row, column: int) -> Iterable[Place]:
    """The units that are about the side above a cell and about the first cell, and have the cell."""
    side = _own(row, column) if row.header else ()
    if not side:
        return
    for place in _about(row, row.name(column)):
        if (
            place.names(side)
            and place.names(content(row.cells[0]))
            and row.stands(column, place)
            and _bound(row, column, place)
        ):
            yield place


def _own(row: _Row, column: int) -> tuple[str, ...]:
    """The terms that name one side and no other."""
    others = Vocabulary(term for number, name in enumerate(row.header) if number != column for term in content(name))
    return tuple(term for term in content(row.header[column]) if term not in others)
