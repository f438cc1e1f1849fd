"""Fit the weights of the injection screen and report how well they carry over.

    python -m bench.fit_screen PATH/eval/direct_injection/dev.jsonl [--write]

Logistic regression with a Gaussian prior around weights set by judgement: with so few and so alike attacks, what a
signal means is known better than what it happened to co-occur with. Rows of `wildguard-benign` are measured and never
fitted (their terms). Prints the true-positive rate at 1 % false positives in cross-validation over known sources, and
with each source of attacks left out of the fit; `--write` writes `pipeline/screen/weights.py`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.screen.screening import signals
from pipeline.screen.signals import CONCEPT_SIGNALS, RAW_SIGNALS

PRIOR = {
    "override": 4.0,
    "override_bare": 4.0,
    "new_rules": 2.5,
    "new_rules_follow": 4.0,
    "you_are": 0.4,
    "you_are_now": 2.5,
    "act_as": 1.5,
    "pretend_you": 1.2,
    "from_now_on": 2.0,
    "now_do": 1.0,
    "mode": 2.0,
    "jailbreak": 2.5,
    "no_limits": 0.7,
    "no_limits_model": 2.0,
    "in_character": 2.0,
    "extract": 3.5,
    "system_prompt": 1.5,
    "your_secret": 3.2,
    "ask_secret": 1.5,
    "user_data": 2.0,
    "private": 0.7,
    "decode": 2.8,
    "say_only": 1.5,
    "say": 1.0,
    "reply_form": 0.8,
    "you_must": 1.2,
    "create": 0.1,
    "model": 0.2,
    "you_model": 0.5,
    "told_as_model": 1.5,
    "imagine": 0.2,
    "authority": 1.5,
    "own_knowledge": 3.0,
    "not_allowed": 2.5,
    "script": 4.0,
    "turn": 3.0,
    "speaker": 2.0,
    "labels": 1.5,
    "end": 2.0,
    "question_answer": 2.0,
    "answered_by_order": 1.5,
    "game": 1.2,
    "slots": 2.0,
    "quoted_order": 1.3,
    "repeated": 2.5,
    "spaced": 3.0,
    "encoded": 3.0,
}
PRIOR_BIAS = -1.3
STRENGTH = 100.0
"""Precision of the prior: leave-one-source-out prefers any value from 30 up, and no fit at all costs nothing."""
FOLDS = 5
NOT_FITTED = "wildguard-benign"
FLAG, DECLINE = 0.65, 0.9
"""Above every real question and nearly all harmless look-alikes; only an outright order to the assistant declines."""

Array = NDArray[np.float64]


def fit(features: Array, labels: Array) -> Array:
    """Weights, bias last: Newton's method on the class-balanced log loss plus the prior."""
    prior = np.array([*PRIOR.values(), PRIOR_BIAS])
    precision = np.array([*[STRENGTH] * len(PRIOR), 1.0])
    design = np.hstack([features, np.ones((len(features), 1))])
    share = labels.mean()
    balance = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))
    weights = prior.copy()
    for _ in range(30):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (balance * (chance - labels)) + precision * (weights - prior)
        curve = (design * (balance * chance * (1 - chance))[:, None]).T @ design + np.diag(precision)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def caught(labels: Array, scores: Array, limit: float = 0.01) -> float:
    """Share of attacks above the score that at most `limit` of the harmless rows exceed."""
    harmless = np.sort(scores[labels == 0])[::-1]
    threshold = harmless[int(limit * len(harmless))]
    return float((scores[labels == 1] > threshold).mean())


def held_out(
    features: Array, labels: Array, sources: NDArray[np.str_], left_out: str = ""
) -> tuple[NDArray[np.intp], Array]:
    """Rows and their cross-validated scores; of attacks only those of `left_out`, where one is named."""
    fold = np.zeros(len(labels), dtype=int)
    for source in np.unique(sources):
        rows = np.flatnonzero(sources == source)
        fold[np.random.default_rng(0).permutation(rows)] = np.arange(len(rows)) % FOLDS
    scores = np.zeros(len(labels))
    for number in range(FOLDS):
        train = (fold != number) & (sources != NOT_FITTED) & (sources != left_out)
        weights = fit(features[train], labels[train])
        scores[fold == number] = features[fold == number] @ weights[:-1] + weights[-1]
    kept = np.flatnonzero((labels == 0) | (sources == left_out) | (left_out == ""))
    return kept, scores[kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    rows = [json.loads(line) for line in chosen.rows.read_text(encoding="utf-8").strip().split("\n")]
    assert set(PRIOR) >= CONCEPT_SIGNALS.keys() | RAW_SIGNALS.keys()
    found = [signals(row["text"]) for row in rows]
    features = np.array([[values.get(name, 0.0) for name in PRIOR] for values in found])
    labels = np.array([float(row["label"]) for row in rows])
    sources = np.array([row["source"] for row in rows])
    kept, scores = held_out(features, labels, sources)
    print(f"known sources      {caught(labels[kept], scores):.3f}")
    for source in np.unique(sources[labels == 1]):
        kept, scores = held_out(features, labels, sources, source)
        print(f"without {source:<18} {caught(labels[kept], scores):.3f}")
    weights = fit(features[sources != NOT_FITTED], labels[sources != NOT_FITTED])
    if chosen.write:
        write(dict(zip(PRIOR, weights, strict=False)), float(weights[-1]))


def write(weights: dict[str, float], bias: float) -> None:
    lines = [
        '"""What each signal weighs: written by `bench/fit_screen.py`, read as log odds."""\n',
        "from __future__ import annotations\n",
        "WEIGHTS = {",
        *(f'    "{name}": {weight:.2f},' for name, weight in weights.items()),
        "}",
        f"BIAS = {bias:.2f}",
        f"FLAG = {FLAG}",
        '"""Score from which a message is logged as suspicious."""',
        f"DECLINE = {DECLINE}",
        '"""Score from which a message is refused."""\n',
    ]
    Path("pipeline/screen/weights.py").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
