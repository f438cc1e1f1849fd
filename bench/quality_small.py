"""The quality figures that every change is held to: `make quality-small`, under a minute on two cores.

The rows of tests/quality, and where there is a folder of public sets a sample of each, go through the parts that answer
people. A figure that is worse than the committed one by more than its standard error ends the run with status 1.
`--write` commits what was measured; `--rows` prints the rows of the dev half that went wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from adapters.models.cross_encoder.minilm import MiniLMCrossEncoder
from bench.quality import Row, read, settings
from bench.quality_rows import QUALITY, own
from bot.evaluation.predict import QuestionPredictor, open_temporary_citewell
from bot.evaluation.scores import content_words, score_answers, score_retrieval

ROOT = Path(__file__).resolve().parents[1]
COMMITTED = QUALITY / "figures.json"
ROWS = 200
"""Of each public set, at most; those about the same document stay together."""
WORDS = 40_000
"""Of its documents: those that the rows are about, and for each row the other one with most words of its question."""
LOWER_IS_BETTER = ("wrong", "false", "dropped", "quoted", "flagged", "asides", "chatter")
NOT_HELD = ("partly", "declined")
"""They follow from what is well and what is wrong."""
SETS: Mapping[str, tuple[str, ...]] = {
    "doc2dial": ("recall@1", "recall@5", "answer_contains_gold"),
    "mtrag_cloud": ("recall@5", "abstention_balanced_accuracy"),
    "clapnq": ("recall@1", "recall@5", "abstention_balanced_accuracy", "useful_rate"),
    "squad2": ("recall@1", "recall@5", "abstention_balanced_accuracy", "useful_rate", "right_at_high"),
}


class Figure(NamedTuple):
    value: float
    rows: int

    def tolerance(self) -> float:
        """One standard error of a share, and at least one row."""
        return max(math.sqrt(self.value * (1 - self.value) / self.rows), 1 / self.rows)


def sampled(rows: Iterable[Row], key: str) -> list[Row]:
    """The same order on every machine, without meaning."""
    return sorted(rows, key=lambda row: hashlib.sha256(str(row[key]).encode()).digest())


def sample_set(data: Path, name: str) -> tuple[list[Row], list[Row]]:
    """Rows of a public set, and a small part of its documents that they are asked over."""
    documents = {one["doc_id"]: one for one in sampled(read(data / name / "corpus.jsonl"), "doc_id")}
    words = {key: len(document["text"].split()) for key, document in documents.items()}
    rows: list[Row] = []
    kept: set[str] = set()
    for row in sampled(read(data / name / "dev.jsonl"), "group")[:ROWS]:
        if sum(map(words.__getitem__, kept)) < WORDS:
            rows.append(row)
            kept |= {*row["gold_doc_ids"], *row.get("related_doc_ids", ())}
    vocabulary = {key: frozenset(content_words(document["text"])) for key, document in documents.items()}
    for row in rows:
        wanted = frozenset(content_words(row["question"]))
        others = [one for one in documents if one not in kept]
        if others and sum(map(words.__getitem__, kept)) < WORDS:
            kept.add(max(others, key=lambda one: len(wanted & vocabulary[one]) / (1 + len(vocabulary[one])) ** 0.5))
    return rows, [documents[one] for one in documents if one in kept]


async def public(data: Path, name: str) -> dict[str, Figure]:
    """The figures of a sample of one public set over a small part of its documents."""
    rows, documents = sample_set(data, name)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        corpus.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
        async with open_temporary_citewell(settings(), corpus) as citewell:
            asked = QuestionPredictor(citewell)
            pairs = [(row, await asked.predict(row)) for row in rows]
    found = {**score_retrieval(pairs), **score_answers(pairs)}
    rows_of = {"right_at_high": found.get("share_high", 0) * found.get("spoken", 0)}
    return {
        f"{name}: {one.replace('_', ' ')}": Figure(
            found[one], max(1, round(rows_of.get(one, found["questions" if "@" in one else "rows"])))
        )
        for one in SETS[name]
    }


def read_once() -> None:
    """From now on the second reader, which takes most of the time, is not asked in this process again what it answered
    before: claims are judged twice over one passage, and asides are heard with a mention and without."""
    known: dict[tuple[str, tuple[str, ...]], Sequence[float]] = {}
    read = MiniLMCrossEncoder.score

    async def remembered(reader: MiniLMCrossEncoder, question: str, stretches: Sequence[str]) -> Sequence[float] | None:
        asked = (question, tuple(stretches))
        if asked not in known:
            scores = await read(reader, question, stretches)
            if scores is None:
                return None
            known[asked] = scores
        return known[asked]

    MiniLMCrossEncoder.score = remembered  # type: ignore[method-assign]


def measure(task: tuple[str, str]) -> tuple[dict[str, Figure], list[str]]:
    """The figures of one task, and the rows of the dev half that went wrong; runs in a process of its own."""
    name, data = task
    read_once()
    if name == "own":
        shares, wrong = asyncio.run(own())
        return {name: Figure(sum(held) / len(held), len(held)) for name, held in sorted(shares.items())}, wrong
    return asyncio.run(public(Path(data), name)), []


def verdict(name: str, now: Figure, before: float | None) -> str:
    what = name.split(": ")[-1]
    if before is None or what in NOT_HELD:
        return "" if before is not None else "not committed"
    lower = what.startswith(LOWER_IS_BETTER) or name.startswith(LOWER_IS_BETTER)
    lost = now.value - before if lower else before - now.value
    allowed = Figure(before, now.rows).tolerance() + 1e-4  # figures are kept to four digits
    return "WORSE" if lost > allowed else "better" if -lost > allowed else ""


def main() -> None:
    started = time.perf_counter()
    data = next((Path(one) for one in sys.argv[1:] if one and not one.startswith("--")), None)
    tasks = [("own", ""), *((name, str(data)) for name in SETS if data and (data / name).is_dir())]
    with ProcessPoolExecutor(2) as pool:
        measured = list(pool.map(measure, tasks))
    figures = {name: figure for found, _ in measured for name, figure in found.items()}
    committed: dict[str, float] = json.loads(COMMITTED.read_text(encoding="utf-8")) if COMMITTED.exists() else {}
    print(f"{'measure':<58} {'rows':>4} {'now':>6} {'was':>6} {'within':>6}")
    for name, now in figures.items():
        was = committed.get(name)
        columns = f"{now.value:>6.3f} {'' if was is None else f'{was:.3f}':>6} {now.tolerance():>6.3f}"
        print(f"{name:<58} {now.rows:>4} {columns} {verdict(name, now, was)}".rstrip())
    print(f"\n{time.perf_counter() - started:.0f} seconds")
    if not data:
        print("Without the public sets: name their folder with DATA=path (see `make quality`).")
    if "--rows" in sys.argv:
        print("\n".join(line for _, wrong in measured for line in wrong))
    if "--write" in sys.argv:
        merged = committed | {name: round(now.value, 4) for name, now in figures.items()}
        COMMITTED.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
    elif any(verdict(name, now, committed.get(name)) == "WORSE" for name, now in figures.items()):
        sys.exit(1)


if __name__ == "__main__":
    main()
