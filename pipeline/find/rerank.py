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
    scores = await reranker.score(question, [_full_text(passage) for passage in read])
    order = sorted(range(len(read)), key=lambda place: -scores[place])
    return [*(replace(read[place], score=previous.score) for place, previous in zip(order, read, strict=True)), *rest]


def _full_text(passage: RankedPassage) -> str:
    """Return the passage with its title and headings, as it is searched."""
    return "\n".join((passage.document.title, *passage.chunk.heading, passage.chunk.text))


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
    windows = select_windows(ranked)
    scores = await reader.score(question, [window.text for window in windows]) if windows else ()
    if not scores:
        return None if scores is None else list(ranked)
    best: dict[int, float] = {}
    for window, score in zip(windows, scores, strict=True):
        best[window.passage] = max(best.get(window.passage, 0.0), score)
    middle, weight = median(best.values()), IN_THREAD if threaded else READ
    fused = [passage.score + weight * best.get(place, middle) for place, passage in enumerate(ranked)]
    top_score = max(*(passage.score for passage in ranked), SCORER_WEIGHT * max(best.values()))
    factor = top_score / (max(fused) or 1.0)
    rescored = [
        replace(passage, score=factor * fused_score, relevance=None if threaded else best.get(place))
        for place, (passage, fused_score) in enumerate(zip(ranked, fused, strict=True))
    ]
    return sorted(rescored, key=lambda passage: -passage.score)


def is_scorable(question: str, ranked: Sequence[RankedPassage]) -> bool:
    """Return whether question and passages are in English, the only language that the scorer knows: none of them may be
    in another, and the passages must be for sure."""
    texts = [passage.chunk.text for passage in ranked[:LANGUAGE_SAMPLE]]
    return (
        bool(split_words(question))
        and all(is_latin(text) and detect_language(text) in ("", "en") for text in (question, *texts))
        and detect_language(" ".join(texts)) == "en"
    )


def select_windows(ranked: Sequence[RankedPassage]) -> list[PassageWindow]:
    """Select the best windows of the first passages, the best first, as many as `SCORED_WORDS` hold, at least one."""
    candidates = [
        window
        for place, passage in enumerate(ranked[:SCORED_PASSAGES])
        for window in _best_windows(place, passage, WINDOWS_PER_PASSAGE)
    ]
    selected: list[PassageWindow] = []
    words_left = SCORED_WORDS
    for window in sorted(candidates, key=lambda window: -window.worth):
        if not selected or window.length <= words_left:
            selected.append(window)
            words_left -= window.length
    return selected


def _best_windows(place: int, passage: RankedPassage, count: int) -> Iterator[PassageWindow]:
    """Yield a window around the best unit of a passage, and around the best of the rest."""
    taken: list[range] = []
    for index in sorted(range(len(passage.unit_relevance)), key=lambda index: -passage.unit_relevance[index]):
        if len(taken) == count:
            return
        if not any(index in units for units in taken):
            units = _extend_unit(index, passage, taken)
            taken.append(units)
            relevance = passage.score + max(passage.unit_relevance[units.start : units.stop]) / len(taken)
            yield PassageWindow(place, units, _window_text(passage, units), relevance)


def _extend_unit(index: int, passage: RankedPassage, taken: Sequence[range]) -> range:
    """Extend a unit by its better neighbour that is not `taken`, as long as `SCORER_WINDOW_WORDS` hold it."""
    places = set(range(len(passage.unit_relevance))).difference(*taken)
    first, last, words_left = index, index, SCORER_WINDOW_WORDS - _count_words(passage.chunk, index)
    while True:
        beside = [place for place in (first - 1, last + 1) if place in places]
        fitting = [place for place in beside if _count_words(passage.chunk, place) <= words_left]
        if not fitting:
            return range(first, last + 1)
        place = max(fitting, key=passage.unit_relevance.__getitem__)
        first, last, words_left = min(first, place), max(last, place), words_left - _count_words(passage.chunk, place)


def _count_words(chunk: Chunk, index: int) -> int:
    return len(chunk.text_at(index).split())


def _window_text(passage: RankedPassage, units: range) -> str:
    """Return the window with title, headings and lead-in; rows with the names of their columns."""
    chunk, opening = passage.chunk, passage.chunk.lead_in(units.start)
    lines = [
        chunk.readable_row(index) if chunk.units[index].kind is BlockKind.ROW else chunk.text_at(index)
        for index in units
        if chunk.units[index].kind is not BlockKind.HEADER
    ]
    lead_in = (
        chunk.text_at(opening) if opening is not None and chunk.units[opening].kind is not BlockKind.HEADER else ""
    )
    heading = chunk.nearest_heading(units.start)
    path = " > ".join(dict.fromkeys(filter(None, (passage.document.title, *chunk.heading, heading))))
    text = "\n".join(filter(None, (path, lead_in if lead_in != heading else "", " ".join(lines))))
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
        ranked,
        key=lambda passage: (
            -(passage.score + CONFIRMED_BOOST * (bool(passage.confirmed) or passage.document.is_solved))
        ),
    )
    return [
        replace(passage, score=previous.score, confirmation_boost=previous.score - passage.score)
        for passage, previous in zip(order, ranked, strict=True)
    ]
