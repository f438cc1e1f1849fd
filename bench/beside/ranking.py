"""A second reader of ten passages that were found, beside LlamaIndex's and Haystack's: the last table of `make bench`.

`python -m bench.beside.ranking PYTHON`, with the interpreter of an environment that has `locks/beside.txt`. All read
with the weights that Citewell ships, on one core, each question in turn: Citewell the best stretches of the passages,
the others whole passages. DATA is a folder with `corpus.jsonl` and `dev.jsonl`, squad2 one beside it; BESIDE_READ (150)
questions of each."""

from __future__ import annotations

import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adapters.models.cross_encoder.minilm import MiniLMCrossEncoder
from bench.beside.side import on_one_core, rows
from bench.figures import percentiles
from bench.run import settings
from bot.evaluation.scores import is_correct
from bot.wiring import open_citewell
from pipeline.find.rank import RankedPassage, Ranker
from pipeline.find.rerank import SCORED_PASSAGES, apply_relevance_scorer, is_scorable, select_windows

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("DATA") or ROOT.parent / "shared" / "eval" / "clapnq")
QUESTIONS = int(os.environ.get("BESIDE_READ", "150"))
FOUND, OURS, THEIRS = "as found", "Citewell", ("LlamaIndex", "Haystack")


class First(NamedTuple):
    """What is first for a question."""

    right: bool
    """Whether it is of a gold document."""
    gold: bool
    """Whether what is read first holds the answer."""
    words: int
    """Of what is read first, with its title."""
    took: float
    """Milliseconds of processor time."""


class Ours:
    """The reader as answers use it, without its deadlines: the machine may be busy."""

    def __init__(self) -> None:
        self._reader = MiniLMCrossEncoder(threads=1, seconds=math.inf)
        self._scores: Sequence[float] = ()

    async def score(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        self._scores = await self._reader.score(question, texts) or ()
        return self._scores

    async def first(self, question: str, found: Sequence[RankedPassage]) -> tuple[str, str, float]:
        """The first document, the best stretch of its passage, and what reading took."""
        began = time.process_time()
        if not is_scorable(question, found):
            return found[0].document.id, whole(found[0]), 1000 * (time.process_time() - began)
        best, *_ = await apply_relevance_scorer(self, question, found) or found
        took = 1000 * (time.process_time() - began)
        scored = zip(self._scores, select_windows(found), strict=True)
        of_best = [(score, one.text) for score, one in scored if found[one.passage].chunk.id == best.chunk.id]
        return best.document.id, max(of_best)[1] if of_best else whole(best), took


class Theirs:
    """The other rankers, in a process of their own; they tell the place of the passage that is first, and what it
    took."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-m", "bench.beside.rankers"],
            cwd=ROOT,
            env=os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def first(self, question: str, found: Sequence[RankedPassage]) -> Mapping[str, tuple[int, float]]:
        assert self._process.stdin
        assert self._process.stdout
        passages = [{"title": one.document.title, "text": one.chunk.text} for one in found]
        self._process.stdin.write(json.dumps({"question": question, "passages": passages}) + "\n")
        self._process.stdin.flush()
        said: dict[str, tuple[int, float]] = json.loads(self._process.stdout.readline())
        return said

    def close(self) -> None:
        self._process.communicate()


def whole(one: RankedPassage) -> str:
    return f"{one.document.title}\n{one.chunk.text}"


def asked(data: Path) -> list[dict[str, Any]]:
    """Of all that have an answer, evenly."""
    answerable = [row for row in rows(data / "dev.jsonl") if row["gold_doc_ids"]]
    return answerable[:: max(len(answerable) // QUESTIONS, 1)][:QUESTIONS]


async def firsts(data: Path, folder: Path, ours: Ours, theirs: Theirs) -> dict[str, list[First]]:
    """Of each question, by who read it."""
    told: dict[str, list[First]] = {name: [] for name in (FOUND, OURS, *THEIRS)}
    async with open_citewell(settings(folder)) as citewell:
        await citewell.index([data / "corpus.jsonl"], prefix="")
        everything = await citewell.all_collections()
        ranker = Ranker(
            citewell.storage.index, citewell.storage.library, citewell.embedder, everything, citewell.calibration
        )
        for row in asked(data):
            question, gold = row["question"], row["gold_doc_ids"]
            found = (await ranker.rank(0, question)).passages[:SCORED_PASSAGES]
            places = {FOUND: (0, 0.0), **theirs.first(question, found)}
            said = {who: (found[at].document.id, whole(found[at]), took) for who, (at, took) in places.items()}
            said[OURS] = await ours.first(question, found)
            for who, (document, text, took) in said.items():
                told[who].append(First(document in gold, is_correct(row, text), len(text.split()), took))
    return told


def show(name: str, told: Mapping[str, Sequence[First]]) -> None:
    def line(what: str, cells: Sequence[str], share: str = "") -> None:
        print(f"| {name}: {what} | {' | '.join(cells)} | {share} |", flush=True)

    questions = len(told[OURS])
    line(
        f"right document first, of {questions}",
        [f"{statistics.mean(a.right for a in one):.3f}" for one in told.values()],
    )
    held = [
        f"{statistics.mean(a.gold for a in one):.3f}; {statistics.mean(a.words for a in one):.0f}"
        for one in told.values()
    ]
    line("gold in what is read first; its words", held)
    took = {who: [one.took for one in of[1:]] for who, of in told.items() if who != FOUND}  # the first loads the graph
    share = statistics.median(took[OURS]) / statistics.median(took[THEIRS[0]])
    line("processor time, p50 / p95, ms", ["", *map(percentiles, took.values())], f"{share:.2f}")


async def table(python: str, folder: Path) -> None:
    print(f"\n| a second reader, one core | {FOUND} | {OURS} | {' | '.join(THEIRS)} | share of {THEIRS[0]} |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    ours, theirs = Ours(), Theirs(python)
    for data in (DATA, DATA.parent / "squad2"):
        if (data / "corpus.jsonl").exists():
            show(data.name, await firsts(data, folder / f"{data.name}-citewell", ours, theirs))
        else:
            print(f"| no documents in {data}: set DATA | | | | | |")
    theirs.close()


if __name__ == "__main__":
    on_one_core()
    with tempfile.TemporaryDirectory(prefix="citewell-beside-") as name:
        asyncio.run(table(sys.argv[1], Path(name)))
