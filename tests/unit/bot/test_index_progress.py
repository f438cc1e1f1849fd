"""The bar of `citewell index`: how far it is, and how long it will take."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import accumulate

import pytest
from rich.console import Console

from bot.commands.index_progress import IndexProgress, Pace, describe_time_left
from pipeline.ingest.ingest import DocumentChange, DocumentProgress, IngestEvent

BATCH = 16_000
"""Bytes that are embedded together, and stored at once."""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """A long document comes in parts."""
    batch: list[int] = []
    for length in lengths:
        for start in range(0, length, BATCH):
            batch.append(min(BATCH, length - start))
            if sum(batch) >= BATCH:
                yield batch
                batch = []
    yield batch


def seconds_told(lengths: Sequence[int], bytes_a_second: float, drawn: random.Random) -> tuple[float, float]:
    """Return what is said after ten seconds of how long it will take, and how long it takes."""
    clock, pace, told, done, work = Clock(), Pace(), None, 0, sum(lengths)
    clock.now += 1.5  # the model is loaded
    for batch in batches(lengths):
        clock.now += sum(batch) / bytes_a_second * drawn.uniform(0.7, 1.3)
        for length in batch:
            done += length
            clock.now += 0.001
            left = pace.seconds_left(clock.now, done, work)
            if told is None and clock.now - 1000 >= 10:
                told = clock.now, left
    assert told
    at, left = told
    assert left
    return left, clock.now - at


@pytest.mark.parametrize("bytes_a_second", [30_000, 100_000, 500_000])
@pytest.mark.parametrize("order", ["mixed", "small first", "large first"])
def test_after_ten_seconds_the_time_left_is_right_within_a_quarter(bytes_a_second: int, order: str) -> None:
    for seed in range(10):
        drawn = random.Random(seed)
        lengths = [int(drawn.lognormvariate(8.3, 1)) for _ in range(bytes_a_second // 100)]
        if order != "mixed":
            lengths.sort(reverse=order == "large first")
        left, true = seconds_told(lengths, bytes_a_second, drawn)
        assert left == pytest.approx(true, rel=0.25)


def test_a_pace_that_changes_is_followed() -> None:
    pace, now, done = Pace(), 0.0, 0.0
    for bytes_a_second in (1000, 250):
        for _ in range(300):
            now, done = now + 1, done + bytes_a_second
            left = pace.seconds_left(now, done, 1_000_000)
    assert left == pytest.approx((1_000_000 - done) / 250)


def test_nothing_is_said_before_something_was_done() -> None:
    pace = Pace()
    assert pace.seconds_left(0, 0, 100) is None
    assert pace.seconds_left(50, 10, 100) is None
    assert pace.seconds_left(51, 20, 100) is None
    assert pace.seconds_left(60, 30, 100) == pytest.approx(35)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (59.4, "about 60 s left"),
        (100, "about 2 min left"),
        (3599, "about 60 min left"),
        (9000, "about 2 h 30 min left"),
    ],
)
def test_the_time_left_is_said_in_words(seconds: float | None, words: str) -> None:
    assert describe_time_left(seconds) == words


def test_the_bar_says_the_document_how_many_there_are_and_the_time_left() -> None:
    clock, shown = Clock(), StringIO()
    progress = IndexProgress(console=Console(file=shown, force_terminal=True, width=100), clock=clock)
    with progress:
        for number, work in enumerate(accumulate([100.0] * 9), 1):
            clock.now += 2
            change = DocumentChange.ADDED
            progress(IngestEvent(change=change, label=f"{number}.md", done=number, total=10, work_done=work, work=1000))
        progress._bar.refresh()
        long = {"label": "long.pdf", "share": 0.5, "done": 9, "total": 10, "work_done": 950.0, "work": 1000.0}
        clock.now += 1
        progress(DocumentProgress.model_validate(long))
        progress._bar.refresh()
    assert "9.md" in shown.getvalue()
    assert "9/10" in shown.getvalue()
    assert "about 2 s left" in shown.getvalue()
    assert "long.pdf 50%" in shown.getvalue()
    assert "about 1 s left" in shown.getvalue()
    assert progress.taken == 9
