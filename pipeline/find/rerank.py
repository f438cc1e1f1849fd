"""Reranking of found passages by a reranker, a relevance scorer and people's confirmations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipeline import ports
from pipeline.find.rank import RankedPassage
from pipeline.values import BlockKind, Chunk
from pipeline.words.language import detect_language, is_latin
from pipeline.words.text import split_words

# --- A reranker -----------------------------------------------------------------------------------

RERANK_LIMIT = 15
"""Passages that are given to a reranker, as it takes its time for each. Of those answers .347 hold the gold with 15,
.355 with 30, were it always right; of doc2dial's .440 with either (.433 without)."""


async def apply_reranker(
    reranker: ports.Reranker, question: str, ranked: Sequence[RankedPassage]
) -> list[RankedPassage]:
    """Sort the first passages by `reranker`, in the order of its scores for `question`; they stay in order where it
    sees no difference. Raises Unavailable."""
    read, rest = ranked[:RERANK_LIMIT], ranked[RERANK_LIMIT:]
    worth = await reranker.score(question, [_in_full(one) for one in read])
    order = sorted(range(len(read)), key=lambda place: -worth[place])
    return [*(replace(read[place], score=had.score) for place, had in zip(order, read, strict=True)), *rest]


def _in_full(one: RankedPassage) -> str:
    """Return the passage with its title and headings, as it is searched."""
    return "\n".join((one.document.title, *one.chunk.heading, one.chunk.text))


# --- A relevance scorer ---------------------------------------------------------------------------
# Its word is one among others: passages are put in order by it and by how they were found, and keep the scale of their
# scores, which floor and confidence are fitted with.

SCORED_PASSAGES = 10
"""Passages that are read."""
WINDOWS_PER_PASSAGE = 2
"""Windows of one passage."""
SCORER_WINDOW_WORDS = 60
"""Words of a window: about as many as an extract has."""
MAX_WINDOW_WORDS = 120
"""Words of a window with its headings; a longer unit is cut."""
SCORED_WORDS = 450
"""Words of all that is read for a question, headings too: about 650 tokens, a third of what ten whole passages have."""
READ, IN_THREAD = 1.2, 0.1
"""Weight of the scorer beside the search, and the same where a question stands in a thread: its own words are not all
that is asked, and the confidence leaves the scorer out. Without it / with READ recall@1 of clapnq is .775 / .874, of
squad2 .896 / .932 (301 and 600 questions). Without, with IN_THREAD and with 0.8 that of mtrag is .193, .232 and .273,
but the answers to doc2dial hold the gold in .487, .482 and .450 (161 and 400)."""
SCORER_WEIGHT = 0.7
"""Weight of the scorer alone where the search is less sure of its best passage."""
LANGUAGE_SAMPLE = 3
"""Passages whose language is detected."""


@dataclass(frozen=True, slots=True)
class PassageWindow:
    """Neighbouring units of a passage, as they are scored."""

    passage: int
    """0-based index of the passage among those that were found."""
    units: range
    text: str
    worth: float

    @property
    def length(self) -> int:
        """Number of words."""
        return len(self.text.split())


async def apply_relevance_scorer(
    reader: ports.RelevanceScorer, question: str, ranked: Sequence[RankedPassage], *, threaded: bool = False
) -> list[RankedPassage] | None:
    """Sort passages by the scores of `reader` and of the search; return None where the reader has no time. `threaded`:
    the question was asked in a thread; then no relevance is set. A passage that was not read counts as the median of
    the others. Raises Unavailable."""
    stretches = select_windows(ranked)
    scores = await reader.score(question, [one.text for one in stretches]) if stretches else ()
    if not scores:
        return None if scores is None else list(ranked)
    best: dict[int, float] = {}
    for stretch, score in zip(stretches, scores, strict=True):
        best[stretch.passage] = max(best.get(stretch.passage, 0.0), score)
    middle, weight = median(best.values()), IN_THREAD if threaded else READ
    fused = [one.score + weight * best.get(place, middle) for place, one in enumerate(ranked)]
    surest = max(*(one.score for one in ranked), SCORER_WEIGHT * max(best.values()))
    scale = surest / (max(fused) or 1.0)
    found = [
        replace(one, score=scale * both, relevance=None if threaded else best.get(place))
        for place, (one, both) in enumerate(zip(ranked, fused, strict=True))
    ]
    return sorted(found, key=lambda one: -one.score)


def is_scorable(question: str, ranked: Sequence[RankedPassage]) -> bool:
    """Return whether question and passages are in English, the only language that the scorer knows: none of them may be
    in another, and the passages must be for sure."""
    texts = [one.chunk.text for one in ranked[:LANGUAGE_SAMPLE]]
    return (
        bool(split_words(question))
        and all(is_latin(text) and detect_language(text) in ("", "en") for text in (question, *texts))
        and detect_language(" ".join(texts)) == "en"
    )


def select_windows(ranked: Sequence[RankedPassage]) -> list[PassageWindow]:
    """Select the best windows of the first passages, the best first, as many as `SCORED_WORDS` hold, at least one."""
    offered = [
        stretch
        for place, one in enumerate(ranked[:SCORED_PASSAGES])
        for stretch in _stretches(place, one, WINDOWS_PER_PASSAGE)
    ]
    taken: list[PassageWindow] = []
    left = SCORED_WORDS
    for stretch in sorted(offered, key=lambda one: -one.worth):
        if not taken or stretch.length <= left:
            taken.append(stretch)
            left -= stretch.length
    return taken


def _stretches(place: int, one: RankedPassage, count: int) -> Iterator[PassageWindow]:
    """Yield a window around the best unit of a passage, and around the best of the rest."""
    taken: list[range] = []
    for index in sorted(range(len(one.unit_relevance)), key=lambda index: -one.unit_relevance[index]):
        if len(taken) == count:
            return
        if not any(index in units for units in taken):
            units = _around(index, one, taken)
            taken.append(units)
            worth = one.score + max(one.unit_relevance[units.start : units.stop]) / len(taken)
            yield PassageWindow(place, units, _text(one, units), worth)


def _around(index: int, one: RankedPassage, taken: Sequence[range]) -> range:
    """Extend a unit by its better neighbour that is not `taken`, as long as `SCORER_WINDOW_WORDS` hold it."""
    places = set(range(len(one.unit_relevance))).difference(*taken)
    first, last, left = index, index, SCORER_WINDOW_WORDS - _words(one.chunk, index)
    while True:
        beside = [place for place in (first - 1, last + 1) if place in places]
        fitting = [place for place in beside if _words(one.chunk, place) <= left]
        if not fitting:
            return range(first, last + 1)
        place = max(fitting, key=one.unit_relevance.__getitem__)
        first, last, left = min(first, place), max(last, place), left - _words(one.chunk, place)


def _words(chunk: Chunk, index: int) -> int:
    return len(chunk.text_at(index).split())


def _text(one: RankedPassage, units: range) -> str:
    """Return the window with title, headings and lead-in; rows with the names of their columns."""
    chunk, opening = one.chunk, one.chunk.lead_in(units.start)
    said = [
        chunk.readable_row(index) if chunk.units[index].kind is BlockKind.ROW else chunk.text_at(index)
        for index in units
        if chunk.units[index].kind is not BlockKind.HEADER
    ]
    led = chunk.text_at(opening) if opening is not None and chunk.units[opening].kind is not BlockKind.HEADER else ""
    above = chunk.nearest_heading(units.start)
    path = " > ".join(dict.fromkeys(filter(None, (one.document.title, *chunk.heading, above))))
    text = "\n".join(filter(None, (path, led if led != above else "", " ".join(said))))
    return text if len(text.split()) <= MAX_WINDOW_WORDS else " ".join(text.split()[:MAX_WINDOW_WORDS])


# --- Confirmations --------------------------------------------------------------------------------
# As with a reranker, the passages get the scores that there were in their new order: as many pass each threshold as
# before.

CONFIRMED_BOOST = 0.05
"""Score that a confirmation adds, for the order alone. Of questions of squad2 in other words .935 find what was
confirmed first, .888 without. With 0.1 it is .950, but of those that are alike and ask for something else three in a
hundred lose what they found first, with 0.05 none."""


def boost_confirmed(ranked: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Sort passages as if those that were confirmed or solved scored `CONFIRMED_BOOST` more. `ranked` comes best
    first."""
    order = sorted(
        ranked, key=lambda one: -(one.score + CONFIRMED_BOOST * (bool(one.confirmed) or one.document.is_solved))
    )
    return [
        replace(one, score=had.score, confirmation_boost=had.score - one.score)
        for one, had in zip(order, ranked, strict=True)
    ]
