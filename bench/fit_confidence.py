"""Fit the weights of the confidence on public development data, and print how well calibrated they are.

    python bench/fit_confidence.py DATA --folder FOLDER

Every question goes through the real planner, retriever and extractive writer. The indexes are kept in `--folder` and
brought up to date on the next run. Prints `pipeline/read/weights.py`, the cross-validated figures (folds never
split what belongs together) and the calibration table for `docs/quality.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.citewell import Citewell  # noqa: E402
from bot.evaluation.rows import turns  # noqa: E402
from bot.settings import Settings  # noqa: E402
from bot.wiring import open_citewell  # noqa: E402
from pipeline.read.asked import read  # noqa: E402
from pipeline.read.evidence import gather  # noqa: E402
from pipeline.read.signals import Signals, signals  # noqa: E402
from pipeline.values import Brief, Conversation, ConversationId, Search  # noqa: E402
from pipeline.write.extract import extract  # noqa: E402

SETS = ("squad2", "clapnq", "mtrag_cloud")
"""Sets with unanswerable questions whose licences allow fitting (CC BY-SA 4.0, Apache-2.0, Apache-2.0)."""
WITH_VECTORS = (
    "cosine", "topic", "lead", "names_missing", "numbers_missing", "negation", "opposite", "another",
)  # fmt: skip
WORDS_ONLY = (
    "lead",
    "rarest_missing",
    "missing",
    "names_missing",
    "numbers_missing",
    "negation",
    "opposite",
    "another",
)
TITLED = 2.0
"""Weight of `titled` beside vectors, set by hand: people ask short questions often, the sets have few (a sixth of
mtrag_cloud, a thirtieth of the others), and from 1 to 2 no figure moves by its noise; fitted it is 1.1."""
FOLDS = 5
RIDGE = 3.0
PER_CLASS = 1000.0
"""What all rows of one class of one set weigh together."""


@dataclass(frozen=True)
class Row:
    """One question: the signals found for it, and whether its documents answer it."""

    name: str
    group: str
    answerable: bool
    found: Signals


async def rows_of(citewell: Citewell, data: Path, name: str) -> list[Row]:
    """Every question of a set that is either answerable or not."""
    audience = await citewell.everything()
    rows = []
    for line in (data / name / "dev.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        if row["answerability"] not in ("ANSWERABLE", "UNANSWERABLE"):
            continue
        history = turns(row.get("history") or [])
        nobody = ConversationId(platform="console", space="", channel="")
        plan = await citewell.planner.plan(row["question"], Conversation(id=nobody, turns=history), audience)
        if not isinstance(plan, Search):
            continue
        passages = (await citewell.retriever.retrieve(plan, audience)).passages
        asked = read(plan.question)
        found = signals(asked, gather(asked, passages))
        if found and extract(Brief(question=plan.question, queries=plan.queries), passages):
            rows.append(Row(name, row["group"], row["answerability"] == "ANSWERABLE", found))
    return rows


async def collect(data: Path, folder: Path, *, embedder: str) -> list[Row]:
    rows = []
    for name in SETS:
        settings = Settings(data=folder / f"{name}-{embedder}", embedder=embedder)
        async with open_citewell(settings) as citewell:
            await citewell.index([data / name / "corpus.jsonl"], prefix="")
            rows += await rows_of(citewell, data, name)
        print(f"# {name}: {sum(row.name == name for row in rows)} questions, embedder {embedder}", flush=True)
    return rows


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method on standardised columns, returned for the columns as they are.

    `known` is what each row has from weights that are not fitted."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    columns = np.c_[(x - mean) / spread, np.ones(len(x))]
    ridge = np.diag([RIDGE] * x.shape[1] + [1e-6])
    beta = np.zeros(columns.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-columns @ beta - known))
        gradient = columns.T @ (weight * (p - y)) + ridge @ beta
        hessian = (columns * (weight * p * (1 - p))[:, None]).T @ columns + ridge
        beta -= np.linalg.solve(hessian, gradient)
    slope = beta[:-1] / spread
    return np.r_[slope, beta[-1] - slope @ mean]


def evaluate(rows: Sequence[Row], names: Sequence[str], titled: float) -> np.ndarray:
    """Fit on everything, with a given weight of `titled`; print cross-validated figures by set and the calibration."""
    x = np.array([[asdict(row.found)[name] for name in names] for row in rows])
    known = np.array([row.found.titled * titled for row in rows])
    y = np.array([row.answerable for row in rows], dtype=float)
    sets = np.array([row.name for row in rows])
    fold = np.array([int(hashlib.sha256(row.group.encode()).hexdigest(), 16) % FOLDS for row in rows])
    weight = np.zeros(len(rows))
    for name in SETS:
        for label in (0.0, 1.0):
            part = (sets == name) & (y == label)
            weight[part] = PER_CLASS / max(1, part.sum())
    scores = np.zeros(len(rows))
    for number in range(FOLDS):
        held = fold == number
        beta = fit(x[~held], y[~held], weight[~held], known[~held])
        scores[held] = 1 / (1 + np.exp(-(np.c_[x[held], np.ones(held.sum())] @ beta) - known[held]))
    print_figures(scores, y, sets)
    print_calibration(scores, y, sets)
    return fit(x, y, weight, known)


def print_figures(scores: np.ndarray, y: np.ndarray, sets: np.ndarray) -> None:
    print("\n| set | questions | AUROC | balanced accuracy at .40 | .45 | .50 | .55 |\n|" + " --- |" * 7)
    for name in SETS:
        s, t = scores[sets == name], y[sets == name]
        ranks = s[t == 1][:, None] - s[t == 0][None, :]
        auroc = (ranks > 0).mean() + (ranks == 0).mean() / 2
        cuts = [((s[t == 0] < cut).mean() + (s[t == 1] >= cut).mean()) / 2 for cut in (0.4, 0.45, 0.5, 0.55)]
        print(f"| {name} | {len(s)} | {auroc:.3f} | " + " | ".join(f"{cut:.3f}" for cut in cuts) + " |")


def print_calibration(scores: np.ndarray, y: np.ndarray, sets: np.ndarray) -> None:
    print("\n| said | " + " | ".join(f"{name}: answerable (n)" for name in SETS) + " |\n| --- |" + " --- |" * len(SETS))
    for low in np.arange(0, 1, 0.1):
        cells = []
        for name in SETS:
            part = (sets == name) & (scores >= low) & (scores < low + 0.1)
            cells.append(f"{y[part].mean():.2f} ({part.sum()})" if part.any() else "-")
        print(f"| {low:.1f} to {low + 0.1:.1f} | " + " | ".join(cells) + " |")


def print_weights(title: str, names: Sequence[str], beta: np.ndarray, titled: float) -> None:
    values = "".join(f'    "{name}": {value:.2f},\n' for name, value in zip((*names, "bias"), beta, strict=True))
    values += f'    "titled": {titled:.2f},\n' if titled else ""
    print(f"\n{title} = {{\n{values}}}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    for title, embedder, names, titled in (
        ("WITH_VECTORS", "minilm", WITH_VECTORS, TITLED),
        ("WORDS_ONLY", "none", WORDS_ONLY, 0.0),
    ):
        assert set(names) <= {field.name for field in fields(Signals)}
        rows = await collect(args.data, args.folder, embedder=embedder)
        print_weights(title, names, evaluate(rows, names, titled), titled)


if __name__ == "__main__":
    asyncio.run(main())
