"""What the second reader is given to read, and what is made of its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import Unavailable
from pipeline.find.rank import RankedPassage
from pipeline.find.rerank import (
    MAX_WINDOW_WORDS,
    SCORED_PASSAGES,
    SCORED_WORDS,
    WINDOWS_PER_PASSAGE,
    apply_relevance_scorer,
    is_scorable,
    select_windows,
)
from pipeline.values import BlockKind, Chunk, Unit
from tests.doubles.samples import document

LEAVE = "Leave"


def ranked(
    name: str,
    *said: str,
    score: float = 0.5,
    worth: Sequence[float] = (),
    kinds: Sequence[BlockKind] = (),
    parents: Sequence[int | None] = (),
    heading: tuple[str, ...] = (),
) -> RankedPassage:
    units, text = list[Unit](), ""
    for number, one in enumerate(said):
        start = len(text)
        text += f"{one} "
        kind = kinds[number] if kinds else BlockKind.PROSE
        parent = parents[number] if parents else None
        units.append(Unit(start=start, end=start + len(one), kind=kind, part=1, parent=parent))
    chunk = Chunk(id=name, document_id=name, text=text, units=tuple(units), heading=heading)
    told = tuple(worth or [1.0] * len(said))
    return RankedPassage(chunk, document(name), score, 0, np.zeros(0, np.float32), unit_relevance=told)


class Reader:
    """Scores a stretch by a function of its text."""

    def __init__(self, score: Callable[[str], float]) -> None:
        self._score = score

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        return [self._score(one) for one in texts]


async def told(reader: Reader, found: Sequence[RankedPassage], *, threaded: bool = False) -> list[RankedPassage]:
    again = await apply_relevance_scorer(reader, "How much leave?", found, threaded=threaded)
    assert again is not None
    return again


def likes(*words: str) -> Reader:
    return Reader(lambda text: 0.9 if any(word in text for word in words) else 0.1)


async def test_what_the_reader_likes_comes_first_with_the_stretch_that_it_liked() -> None:
    far, near = ranked("a", "Trains are booked.", score=0.6), ranked("b", "Leave is 30 days.", score=0.5)
    first, second = await told(likes("30 days"), [far, near])
    assert (first.chunk.id, first.relevance, second.relevance) == ("b", 0.9, 0.1)
    assert 0.6 <= first.score <= 1
    assert second.score < 0.6


async def test_where_it_sees_no_difference_the_order_stays() -> None:
    found = [ranked(name, "Leave is 30 days.", score=score) for name, score in (("a", 0.7), ("b", 0.6), ("c", 0.2))]
    again = await told(likes(), found)
    assert [one.chunk.id for one in again] == ["a", "b", "c"]
    assert again[0].score == pytest.approx(0.7)


async def test_a_passage_that_was_hardly_found_gets_above_the_floor_where_it_is_sure() -> None:
    (only,) = await told(likes("30 days"), [ranked("a", "It is 30 days.", score=0.1)])
    assert only.score > 0.5


async def test_the_best_stretch_of_a_passage_speaks_for_it() -> None:
    sentences = [f"Sentence {number} {'and so on ' * 20}" for number in range(4)]
    (found,) = await told(likes("Sentence 2"), [ranked("a", *sentences, worth=[0.9, 0.1, 0.8, 0.3])])
    assert found.relevance == 0.9


async def test_in_a_thread_it_counts_less() -> None:
    far, near = ranked("a", "Trains are booked.", score=0.9), ranked("b", "It is 30 days.", score=0.6)
    alone = await told(likes("30 days"), [far, near])
    threaded = await told(likes("30 days"), [far, near], threaded=True)
    assert [one.chunk.id for one in (alone[0], threaded[0])] == ["b", "a"]
    assert [one.relevance for one in (*alone, *threaded)] == [0.9, 0.1, None, None]


def test_what_is_not_in_english_is_not_read() -> None:
    german = [ranked("a", "Der Urlaub beträgt 30 Tage und wird im Portal beantragt.")]
    english = [ranked("b", "Leave is 30 days and is requested in the portal.")]
    assert is_scorable("How much leave do I have?", english)
    assert is_scorable("leave", english)
    assert not is_scorable("Wie viel Urlaub habe ich?", english)
    assert not is_scorable("leave", german)
    assert not is_scorable("Сколько дней?", english)
    assert not is_scorable("A che ora apre la mensa?", english)
    assert not is_scorable(
        "A che ora apre la mensa?", [ranked("a", "La mensa apre alle 12 per tutti i dipendenti della sede.")]
    )
    assert not is_scorable("Hoe laat sluit de parkeergarage?", english)
    assert not is_scorable("leave", [*english, *german])
    assert not is_scorable("🙂", english)
    assert not is_scorable("leave", [])


def test_a_stretch_stands_behind_its_title_headings_and_what_opens_it() -> None:
    kinds = [BlockKind.HEADING, BlockKind.PROSE, BlockKind.ITEM]
    one = ranked(
        "handbook",
        "Notice",
        "It is:",
        "three months",
        kinds=kinds,
        parents=[None, 0, 1],
        worth=[0, 0, 1],
        heading=(LEAVE,),
    )
    text = select_windows([one])[0].text
    assert text.startswith(f"{one.document.title} > {LEAVE}")
    assert text.endswith("three months")
    assert text.count("Notice") == text.count("It is:") == 1


def test_a_row_is_read_with_the_names_of_its_columns() -> None:
    kinds = [BlockKind.HEADER, BlockKind.ROW, BlockKind.ROW]
    one = ranked(
        "rates", "Country | Days", "Spain | 23", "Norway | 25", kinds=kinds, parents=[None, 0, 0], worth=[0, 0, 1]
    )
    assert "Country: Norway" in select_windows([one])[0].text


async def test_a_reader_that_is_not_there_is_told_to_whoever_asks() -> None:
    class Away:
        async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
            raise Unavailable("reader", "its graph could not be run")

    with pytest.raises(Unavailable):
        await apply_relevance_scorer(Away(), "How much leave?", [ranked("a", "Leave is 30 days.")])


async def test_what_was_not_read_counts_as_the_middle_of_what_was() -> None:
    found = [ranked(f"p{number}", f"Passage {number}.", score=0.5) for number in range(SCORED_PASSAGES + 1)]
    again = await told(Reader(lambda text: 0.9 if "Passage 3." in text else 0.5 if "Passage 1" in text else 0.1), found)
    unread = next(one for one in again if one.relevance is None)
    disliked = min(one.score for one in again if one.relevance == 0.1)
    assert (again[0].chunk.id, again[-1].score) == ("p3", disliked)
    assert unread.score >= disliked


async def test_without_time_nothing_is_told() -> None:
    class Hurried:
        async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
            return None

    assert await apply_relevance_scorer(Hurried(), "How much leave?", [ranked("a", "Leave is 30 days.")]) is None


def test_of_a_text_without_end_the_beginning_is_read() -> None:
    assert select_windows([ranked("a", "word " * 5000)])[0].length <= MAX_WINDOW_WORDS


async def test_nothing_found_is_nothing_read() -> None:
    assert await told(likes(), []) == []


texts = st.lists(st.integers(1, 120), min_size=1, max_size=8)


@given(st.lists(texts, max_size=14), st.randoms(use_true_random=False))
def test_the_best_stretches_are_read_whole_and_no_more_than_there_is_time_for(
    sizes: list[list[int]], random: object
) -> None:
    found = [
        ranked(
            str(place),
            *("word " * size for size in some),
            worth=[(7 * place + 3 * n) % 10 / 10 for n in range(len(some))],
        )
        for place, some in enumerate(sizes)
    ]
    taken = select_windows(found)
    assert bool(taken) == bool(found)
    assert sum(one.length for one in taken[1:]) <= SCORED_WORDS
    for place in range(len(found)):
        own = [one.units for one in taken if one.passage == place]
        assert len(own) <= (WINDOWS_PER_PASSAGE if place < SCORED_PASSAGES else 0)
        assert all(
            first.stop <= other.start or other.stop <= first.start
            for first in own
            for other in own
            if first is not other
        )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.lists(st.floats(0, 1), min_size=12, max_size=12))
async def test_scores_stay_between_0_and_1_and_fall(scores: list[float], liked: list[float]) -> None:
    found = [replace(ranked(f"p{n}", "One."), score=score) for n, score in enumerate(sorted(scores, reverse=True))]
    values = iter(liked)
    again = await told(Reader(lambda _: next(values)), found)
    after = [one.score for one in again]
    assert after == sorted(after, reverse=True)
    assert all(0 <= score <= 1 for score in after)
    assert {one.chunk.id for one in again} == {one.chunk.id for one in found}
