"""Fit the weights of the confidence on public development data, and print how well calibrated they are.

    python bench/fit_confidence.py DATA --folder FOLDER

Every question goes through the real planner and retriever. The indexes are kept in `--folder` and brought up to date on
the next run. Prints the weights of `pipeline/evidence/answerability.py`, balanced accuracy by threshold and the
calibration, both cross-validated (folds never split what belongs together), and the same for the weights in use.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.config.settings import Settings  # noqa: E402
from bot.evaluation.rows import parse_turns  # noqa: E402
from bot.evaluation.scores import auroc  # noqa: E402
from bot.wiring import open_citewell  # noqa: E402
from pipeline.evidence.answerability import (  # noqa: E402
    LEXICAL_WEIGHTS,
    RELEVANCE_WEIGHTS,
    VECTOR_WEIGHTS,
    AnswerabilitySignals,
    answerability,
    compute_signals,
)
from pipeline.evidence.gather import gather_evidence  # noqa: E402
from pipeline.evidence.question_analysis import analyze_question  # noqa: E402
from pipeline.values import Conversation, ConversationId, SearchPlan  # noqa: E402

SETS = ("squad2", "clapnq", "mtrag_cloud")
"""Sets with unanswerable questions whose licences allow fitting (CC BY-SA 4.0, Apache-2.0, Apache-2.0)."""
NOBODY = ConversationId(platform="console", space="", channel="")
FOLDS = 5
RIDGE = 3.0
CUTS = (0.35, 0.4, 0.45, 0.5)
PER_CLASS = 1000.0
"""What all rows of one class of one set weigh together."""


class Row(NamedTuple):
    """One question: the signals found for it, and whether its documents answer it."""

    name: str
    group: str
    answerable: bool
    found: AnswerabilitySignals


async def collect(data: Path, folder: Path, name: str, embedder: str, reader: str) -> list[Row]:
    """Every question of a set that is either answerable or not, and for which something is found."""
    rows = []
    settings = Settings(data=folder / f"{name}-{embedder}", embedder=embedder, reader=reader, reader_seconds=60)
    async with open_citewell(settings) as citewell:
        await citewell.index([data / name / "corpus.jsonl"], prefix="")
        audience = await citewell.all_collections()
        for line in (data / name / "dev.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            history = Conversation(id=NOBODY, turns=parse_turns(row.get("history") or []))
            plan = await citewell.planner.plan(row["question"], history, audience)
            if row["answerability"] in ("ANSWERABLE", "UNANSWERABLE") and isinstance(plan, SearchPlan):
                found = await citewell.retriever.retrieve(plan, audience)
                plan = found.corrected_search(plan)
                asked = analyze_question(plan.question, plan.topic)
                if seen := compute_signals(
                    asked, gather_evidence(asked, found.passages).units, several=bool(plan.sides)
                ):
                    rows.append(Row(name, row["group"], row["answerability"] == "ANSWERABLE", seen))
    return rows


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method on standardised columns, returned for the columns as they are."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    columns = np.c_[(x - mean) / spread, np.ones(len(x))]
    ridge = np.diag([RIDGE] * x.shape[1] + [1e-6])
    beta = np.zeros(columns.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-columns @ beta))
        hessian = (columns * (weight * p * (1 - p))[:, None]).T @ columns + ridge
        beta -= np.linalg.solve(hessian, columns.T @ (weight * (p - y)) + ridge @ beta)
    slope = beta[:-1] / spread
    return np.r_[slope, beta[-1] - slope @ mean]


def evaluate(rows: Sequence[Row], names: Sequence[str]) -> None:
    """Print the weights of a fit on everything, and cross-validated figures by set."""
    x = np.array([[asdict(row.found)[name] or 0.0 for name in names] for row in rows])
    y = np.array([row.answerable for row in rows], dtype=float)
    sets = np.array([row.name for row in rows])
    fold = np.array([int(hashlib.sha256(row.group.encode()).hexdigest(), 16) % FOLDS for row in rows])
    parts = [(sets == name) & (y == label) for name in SETS for label in (0.0, 1.0)]
    weight = sum(PER_CLASS / max(1, part.sum()) * part for part in parts)
    scores = np.zeros(len(rows))
    for held in (fold == number for number in range(FOLDS)):
        beta = fit(x[~held], y[~held], weight[~held])
        scores[held] = 1 / (1 + np.exp(-(np.c_[x[held], np.ones(held.sum())] @ beta)))
    print({name: round(float(value), 2) for name, value in zip((*names, "bias"), fit(x, y, weight), strict=True)})
    report(sets, y, scores)
    print("with the weights in use")
    report(sets, y, np.array([answerability(row.found) for row in rows]))


def report(sets: np.ndarray, y: np.ndarray, scores: np.ndarray) -> None:
    for name in SETS:
        s, t = scores[sets == name], y[sets == name]
        cuts = {cut: ((s[t == 0] < cut).mean() + (s[t == 1] >= cut).mean()) / 2 for cut in CUTS}
        print(f"{name}: {len(s)} questions, AUROC {auroc(t.astype(int).tolist(), s.tolist()):.3f}")
        print("  balanced accuracy at", ", ".join(f"{cut}: {value:.3f}" for cut, value in cuts.items()))
        tenths = [(low / 10, t[(s >= low / 10) & (s < (low + 1) / 10)]) for low in range(10)]
        print(f"  Brier score {np.mean((s - t) ** 2):.3f}")
        print("  answerable where said", ", ".join(f"{low}: {p.mean():.2f} ({len(p)})" for low, p in tenths if len(p)))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    args = parser.parse_args()
    for title, embedder, reader, weights in (
        ("RELEVANCE_WEIGHTS", "minilm", "minilm", RELEVANCE_WEIGHTS),
        ("VECTOR_WEIGHTS", "minilm", "none", VECTOR_WEIGHTS),
        ("LEXICAL_WEIGHTS", "none", "none", LEXICAL_WEIGHTS),
    ):
        rows = [row for name in SETS for row in await collect(args.data, args.folder, name, embedder, reader)]
        print(f"\n{title}")
        evaluate(rows, [name for name in weights if name != "bias"])


if __name__ == "__main__":
    asyncio.run(main())
