"""Retrieval and indexing beside LlamaIndex, as the second table of `make bench`.

`python -m bench.beside PYTHON`, with the interpreter of an environment that has `locks/beside.txt`. Both sides take
turns for BESIDE_ROUNDS (3) rounds, on one core; medians of processor time, with the standard deviation. DATA is a
folder with `corpus.jsonl` and `dev.jsonl`; made-up libraries of BESIDE_SIZES (20000,100000) passages follow, and what
a second reader makes of what was found (`ranking.py`)."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.beside.ranking import DATA, table
from bench.beside.side import Found, on_one_core
from bench.figures import spread
from bench.synthetic import Corpus
from storage.documents.revision import mean_direction

ROOT = Path(__file__).parents[2]
SIZES = [int(size) for size in os.environ.get("BESIDE_SIZES", "20000,100000").split(",") if size]
ROUNDS = int(os.environ.get("BESIDE_ROUNDS", "3"))
QUESTIONS = 170
OURS, THEIRS = "citewell", "llamaindex"
SHOWN: dict[str, Callable[[Found], float]] = {
    "retrieval, p50, ms": lambda one: one.p50,
    "retrieval, p95, ms": lambda one: one.p95,
    "first passages of a process, s": lambda one: one.first,
    "memory, MB": lambda one: one.megabytes,
}


class Sides:
    """Both, each in processes of its own."""

    def __init__(self, theirs: str, folder: Path) -> None:
        self._pythons = {OURS: sys.executable, THEIRS: theirs}
        self._folder = folder

    def do(self, side: str, what: str, given: object, name: str) -> Any:
        """What it tells of that; `name` is the library's."""
        folder = self._folder / f"{name}-{side}"
        folder.mkdir(exist_ok=True)
        command = [self._pythons[side], "-m", f"bench.beside.{side}", what, str(given), str(folder)]
        said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(said.splitlines()[-1]) if said.strip() else None

    def asked(self, questions: Path, name: str) -> None:
        """In turn, and what that took."""
        found: dict[str, list[Found]] = {OURS: [], THEIRS: []}
        for _ in range(ROUNDS):
            for side in found:
                found[side].append(Found(*self.do(side, "ask", questions, name)))
        for what, value in SHOWN.items():
            show(f"{name}: {what}", [value(one) for one in found[OURS]], [value(one) for one in found[THEIRS]])
        for place, what in enumerate(["R@1", "R@5"]):
            if found[OURS][0].hits:
                show(f"{name}: {what}", *([one.hits[place] for one in found[side]] for side in found))


def show(what: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    share = statistics.median(ours) / statistics.median(theirs)
    print(f"| {what} | {spread(ours, 2)} | {spread(theirs, 2)} | {share:.2f} |", flush=True)


def of_documents(sides: Sides, folder: Path) -> None:
    """Indexed by both from the same file; asked what its questions ask."""
    asked = [row for row in (DATA / "dev.jsonl").read_text(encoding="utf-8").split("\n") if row.strip()]
    questions = folder / "questions.jsonl"
    questions.write_text("\n".join(asked[:QUESTIONS]), encoding="utf-8")
    corpus = DATA / "corpus.jsonl"
    show(f"{DATA.name}: indexing, s", *([float(sides.do(side, "index", corpus, DATA.name))] for side in (OURS, THEIRS)))
    sides.asked(questions, DATA.name)


def of_passages(sides: Sides, folder: Path, size: int) -> None:
    """Made up, vectors too."""
    corpus, passages, questions = Corpus(size), folder / f"{size}.jsonl", folder / f"{size}-questions.jsonl"
    with passages.open("w", encoding="utf-8") as file:
        for document, chunks, vectors in corpus.documents():
            for chunk, units in zip(chunks, vectors, strict=True):
                vector = mean_direction(units).tolist()
                row = {"id": chunk.id, "doc_id": document.id, "text": chunk.text, "vector": vector}
                file.write(json.dumps(row) + "\n")
    asked = [json.dumps({"question": question}) for question in corpus.questions(QUESTIONS)]
    questions.write_text("\n".join(asked), encoding="utf-8")
    sides.do(OURS, "fill", size, f"{size}")
    sides.do(THEIRS, "fill", passages, f"{size}")
    sides.asked(questions, f"{size}")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="citewell-beside-") as name:
        folder = Path(name)
        sides = Sides(sys.argv[1], folder)
        print("\n| processor time of one core | Citewell | LlamaIndex | share |\n| --- | --- | --- | --- |")
        if (DATA / "corpus.jsonl").exists():
            of_documents(sides, folder)
        else:
            print(f"| no documents in {DATA}: set DATA | | | |")
        for size in SIZES:
            of_passages(sides, folder, size)
        on_one_core()
        asyncio.run(table(sys.argv[1], folder))


if __name__ == "__main__":
    main()
