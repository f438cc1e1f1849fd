"""What was found in another order: what a reranker and a second reader make of it, and what people confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipeline import ports
from pipeline.find.rank import Ranked
from pipeline.values import BlockKind, Chunk
from pipeline.words.language import is_latin, likely
from pipeline.words.text import words

# --- A reranker -----------------------------------------------------------------------------------

MOST = 15
"""Passages that are given to a reranker, as it takes its time for each. Of those answers .347 hold the gold with 15,
.355 with 30, were it always right; of doc2dial's .440 with either (.433 without)."""


async def reordered(reranker: ports.Reranker, question: str, ranked: Sequence[Ranked]) -> list[Ranked]:
    """`ranked` with the first of it in the order that `reranker` gives them for `question`; where it sees no difference
    they stay as they are. Raises Unavailable."""
    read, rest = ranked[:MOST], ranked[MOST:]
    worth = await reranker.scores(question, [_in_full(one) for one in read])
    order = sorted(range(len(read)), key=lambda place: -worth[place])
    return [*(replace(read[place], score=had.score) for place, had in zip(order, read, strict=True)), *rest]


def _in_full(one: Ranked) -> str:
    """Behind its title and headings, as it is searched."""
    return "\n".join((one.document.title, *one.chunk.heading, one.chunk.text))


# --- A second reader ------------------------------------------------------------------------------
# Its word is one among others: passages are put in order by it and by how they were found, and keep the scale of their
# scores, which floor and confidence are fitted with.

PASSAGES = 10
"""Passages that are read."""
PER_PASSAGE = 2
"""Stretches of one."""
STRETCH = 60
"""Words of a stretch: about what an extract has."""
LONGEST = 120
"""Words of one with its headings; of a unit that is longer the beginning is read."""
WORDS = 450
"""Of all that is read for a question, headings too: about 650 tokens, a third of what ten whole passages have."""
READ, IN_THREAD = 1.2, 0.1
"""What the reader's score counts beside that of the search, and where a question stands in a thread: its own words are
not all that is asked, and the confidence leaves the reader out. Without it / with READ recall@1 of clapnq is .775 /
.874, of squad2 .896 / .932 (301 and 600 questions). Without, with IN_THREAD and with 0.8 that of mtrag is .193, .232
and .273, but the answers to doc2dial hold the gold in .487, .482 and .450 (161 and 400)."""
ALONE = 0.7
"""What the reader's word alone is worth where the search is less sure of its best passage."""
LOOKED_AT = 3
"""Passages whose language is looked at."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring units of a passage, as they are read."""

    passage: int
    """0-based, of those that were found."""
    units: range
    text: str
    worth: float

    @property
    def length(self) -> int:
        """Words."""
        return len(self.text.split())


async def read(
    reader: ports.Reader, question: str, ranked: Sequence[Ranked], *, threaded: bool = False
) -> list[Ranked] | None:
    """`ranked` in the order that `reader` gives them, too; None where it has no time. `threaded`: the question was
    asked in a thread; then no score of its own is told. What was not read counts as the middle of what was. Raises
    Unavailable."""
    stretches = chosen(ranked)
    scores = await reader.read(question, [one.text for one in stretches]) if stretches else ()
    if not scores:
        return None if scores is None else list(ranked)
    best: dict[int, float] = {}
    for stretch, score in zip(stretches, scores, strict=True):
        best[stretch.passage] = max(best.get(stretch.passage, 0.0), score)
    middle, weight = median(best.values()), IN_THREAD if threaded else READ
    fused = [one.score + weight * best.get(place, middle) for place, one in enumerate(ranked)]
    surest = max(*(one.score for one in ranked), ALONE * max(best.values()))
    scale = surest / (max(fused) or 1.0)
    found = [
        replace(one, score=scale * both, read=None if threaded else best.get(place))
        for place, (one, both) in enumerate(zip(ranked, fused, strict=True))
    ]
    return sorted(found, key=lambda one: -one.score)


def readable(question: str, ranked: Sequence[Ranked]) -> bool:
    """Whether question and passages are in English, the only language that the reader knows: neither in another, and
    the passages for sure."""
    texts = [one.chunk.text for one in ranked[:LOOKED_AT]]
    return (
        bool(words(question))
        and all(is_latin(text) and likely(text) in ("", "en") for text in (question, *texts))
        and likely(" ".join(texts)) == "en"
    )


def chosen(ranked: Sequence[Ranked]) -> list[Stretch]:
    """The best stretches of the first passages, the best first, as many as WORDS hold, at least one."""
    offered = [
        stretch for place, one in enumerate(ranked[:PASSAGES]) for stretch in _stretches(place, one, PER_PASSAGE)
    ]
    taken: list[Stretch] = []
    left = WORDS
    for stretch in sorted(offered, key=lambda one: -one.worth):
        if not taken or stretch.length <= left:
            taken.append(stretch)
            left -= stretch.length
    return taken


def _stretches(place: int, one: Ranked, count: int) -> Iterator[Stretch]:
    """Around its best unit, and around the best of what is left."""
    taken: list[range] = []
    for index in sorted(range(len(one.worth)), key=lambda index: -one.worth[index]):
        if len(taken) == count:
            return
        if not any(index in units for units in taken):
            units = _around(index, one, taken)
            taken.append(units)
            worth = one.score + max(one.worth[units.start : units.stop]) / len(taken)
            yield Stretch(place, units, _text(one, units), worth)


def _around(index: int, one: Ranked, taken: Sequence[range]) -> range:
    """A unit, and of those beside it that are not `taken` the better one, as long as STRETCH holds them."""
    places = set(range(len(one.worth))).difference(*taken)
    first, last, left = index, index, STRETCH - _words(one.chunk, index)
    while True:
        beside = [place for place in (first - 1, last + 1) if place in places]
        fitting = [place for place in beside if _words(one.chunk, place) <= left]
        if not fitting:
            return range(first, last + 1)
        place = max(fitting, key=one.worth.__getitem__)
        first, last, left = min(first, place), max(last, place), left - _words(one.chunk, place)


def _words(chunk: Chunk, index: int) -> int:
    return len(chunk.text_of(index).split())


def _text(one: Ranked, units: range) -> str:
    """Behind its title and headings, with what opens it; rows with the names of their columns."""
    chunk, opening = one.chunk, one.chunk.opening(units.start)
    said = [
        chunk.spelled_out(index) if chunk.units[index].kind is BlockKind.ROW else chunk.text_of(index)
        for index in units
        if chunk.units[index].kind is not BlockKind.HEADER
    ]
    led = chunk.text_of(opening) if opening is not None and chunk.units[opening].kind is not BlockKind.HEADER else ""
    above = chunk.nearest_heading(units.start)
    path = " > ".join(dict.fromkeys(filter(None, (one.document.title, *chunk.heading, above))))
    text = "\n".join(filter(None, (path, led if led != above else "", " ".join(said))))
    return text if len(text.split()) <= LONGEST else " ".join(text.split()[:LONGEST])


# --- What people confirmed ------------------------------------------------------------------------
# As with a reranker, the passages get the scores that there were in their new order: as many pass each threshold as
# before.

RAISE = 0.05
"""Of questions of squad2 in other words .935 find what was confirmed first, .888 without. With 0.1 it is .950, but of
those that are alike and ask for something else three in a hundred lose what they found first, with 0.05 none."""


def lifted(ranked: Sequence[Ranked]) -> list[Ranked]:
    """`ranked`, best first, with what was confirmed or solved where it would stand with RAISE more."""
    order = sorted(ranked, key=lambda one: -(one.score + RAISE * (bool(one.confirmed) or one.document.solved)))
    return [replace(one, score=had.score, lift=had.score - one.score) for one, had in zip(order, ranked, strict=True)]
