"""A folder of many small Markdown files, indexed as `citewell index` does: `python -m bench.files`.

FILES (10000) files of 6 KB of prose, in folders of 500. With EMBEDDED=0 every text has the same vector: what remains is
parsing, screening, splitting and storing. Prints the time of the clock and of the processor, and what the progress bar
said after ten seconds of how long it would take."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from adapters.models.minilm.embedder import MiniLMEmbedder
from bench.prose import documents
from bench.run import ROOT, settings
from bot.commands.index_progress import Pace
from bot.wiring import open_citewell
from pipeline.ingest.ingest import IngestEvent
from pipeline.ports import Vectors

FILES = int(os.environ.get("FILES", "10000"))
EMBEDDED = os.environ.get("EMBEDDED", "1") != "0"
BYTES = 6_000
FOLDER_FILES = 500
SPOKEN_AFTER = 10.0
"""Seconds after which the time left is to be known."""


def write_files(folder: Path) -> int:
    """Write the files; returns their bytes."""
    total = 0
    texts = documents(ROOT / "examples" / "handbook", 10**12)
    for number in range(FILES):
        text = ""
        while len(text) < BYTES:
            text += next(texts)
        text = text[: text.rindex(".", 0, BYTES) + 1] + "\n"
        place = folder / f"{number // FOLDER_FILES:03}"
        place.mkdir(exist_ok=True)
        total += (place / f"{number}.md").write_text(text, encoding="utf-8")
    return total


class Timing:
    """Notes what the bar says after `SPOKEN_AFTER` seconds."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.told = 0.0
        self._pace = Pace()

    def __call__(self, event: IngestEvent) -> None:
        now = time.perf_counter()
        left = self._pace.seconds_left(now, event.work_done, event.work)
        if not self.told and left is not None and now - self.began >= SPOKEN_AFTER:
            self.told = now - self.began + left


async def alike(_: object, texts: Sequence[str]) -> Vectors:
    return np.full((len(texts), 384), 384**-0.5, np.float32)


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="citewell-files-") as name:
        source = Path(name) / "documents"
        source.mkdir()
        megabytes = write_files(source) / 1e6
        if not EMBEDDED:
            MiniLMEmbedder.embed = alike  # type: ignore[method-assign] # so that nothing is embedded
        async with open_citewell(settings(Path(name) / "data")) as citewell:
            timing, worked = Timing(), time.process_time()
            summary = await citewell.index([source], on_event=timing)
            seconds, worked = time.perf_counter() - timing.began, time.process_time() - worked
    print(f"{summary.added:,} files of {megabytes:.0f} MB, {summary.chunks:,} passages\n\n| | |\n| --- | --- |")
    print(f"| files/s | {summary.added / seconds:.1f} |")
    print(f"| processor time of a file, without its parsing, ms | {worked / summary.added * 1000:.1f} |")
    print(f"| it took, s | {seconds:.0f} |")
    if timing.told:
        print(f"| said after {SPOKEN_AFTER:.0f} s, s | {timing.told:.0f} |")


if __name__ == "__main__":
    asyncio.run(main())
