"""How far indexing is, and how long it will still take: a progress bar on a terminal."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bot.commands.terminal import err, print_note
from pipeline.ingest.ingest import DocumentChange, DocumentFailed, DocumentProgress, IngestEvent
from pipeline.words.text import to_single_line

MAX_LABEL = 40
"""Characters of a document's label beside the progress bar."""
PACE_SECONDS = 120.0
"""Seconds of which the pace is taken."""
MIN_PACE_SECONDS = 3.0
"""Seconds before which nothing is said of the time left."""
STEP_SECONDS = 0.25
"""Seconds within which documents count as done at once: those that were embedded together are."""
_MINUTE, _HOUR = 60, 3600


class IndexProgress:
    """A line for each failure as it happens, and a progress bar on a terminal, with the source's `name` if given."""

    def __init__(self, name: str = "", *, console: Console = err, clock: Callable[[], float] = time.monotonic) -> None:
        self.taken = 0
        """Documents that were added or changed."""
        self._name = name
        self._console = console
        self._clock = clock
        self._pace = Pace()

    def __enter__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[documents]}", style="progress.download"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", style="progress.remaining"),
        )
        self._bar = Progress(
            *columns, console=self._console, disable=not self._console.is_terminal, transient=True, get_time=self._clock
        )
        self._task = self._bar.add_task(self._name or "Indexing", total=None, documents="", left="")
        self._bar.start()

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, event: IngestEvent) -> None:
        self.taken += event.change in (DocumentChange.ADDED, DocumentChange.CHANGED)
        read = f" {event.share:.0%}" if isinstance(event, DocumentProgress) else ""
        label = to_single_line(event.label)
        short = label if len(label) <= MAX_LABEL else f"…{label[1 - MAX_LABEL :]}"
        seconds = self._pace.seconds_left(self._clock(), event.work_done, event.work)
        self._bar.update(
            self._task,
            completed=event.work_done if event.work else event.done,
            total=event.work or event.total,
            description=f"{self._name}: {short}{read}" if self._name else f"{short}{read}",
            documents=f"{event.done}/{event.total}",
            left=describe_time_left(seconds),
        )
        if isinstance(event, DocumentFailed):
            failed = self._name if self._name and event.whole else f"failed: {label}"
            print_note(f"{failed}: {event.reason}")


class Pace:
    """Work a second, since the first that was done, or in the last PACE_SECONDS.

    Work before that is not counted: it took its time while a model was loaded."""

    def __init__(self) -> None:
        self._points: deque[_Point] = deque()
        self._work = 0.0

    def seconds_left(self, now: float, done: float, work: float) -> float | None:
        """Return the seconds that the rest of `work` takes at this pace; None while that cannot be said."""
        if work != self._work:
            self._points.clear()
            self._work = work
        if done <= 0:
            return None
        if self._points and now - self._points[-1].began < STEP_SECONDS:
            self._points.append(self._points.pop()._replace(at=now, done=done))
        else:
            self._points.append(_Point(now, now, done))
        while len(self._points) > 2 and self._points[1].at <= now - PACE_SECONDS:
            self._points.popleft()
        first = self._points[0]
        if now - first.at < MIN_PACE_SECONDS or done <= first.done:
            return None
        return (work - done) * (now - first.at) / (done - first.done)


class _Point(NamedTuple):
    began: float
    at: float
    done: float


def describe_time_left(seconds: float | None) -> str:
    """Return the time left in words; "" for None."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return f"about {max(1, math.ceil(seconds))} s left"
    if seconds < _HOUR:
        return f"about {round(seconds / _MINUTE)} min left"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"about {hours} h {minutes} min left"
