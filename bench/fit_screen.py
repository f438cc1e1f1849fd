"""Would a trained filter of direct injection carry over to sources of attacks it has not seen?

    python -m bench.fit_screen PATH/eval/direct_injection/dev.jsonl

Fits logistic heads on the shipped embedder's vector of the text and on hashed character n-grams, and prints the
true-positive rate at 1 % false positives in cross-validation over known sources and with each source of attacks left
out of the fit, beside the signs of `pipeline/screen`. Rows of `wildguard-benign` are measured and never fitted (their
terms). Nothing is written: see `docs/decisions/0010-screen.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.models.minilm.embedder import MiniLMEmbedder
from pipeline.screen import screen_message

FOLDS, STEPS, RIDGE = 5, 25, 0.1
HASHED, KEPT = 4096, 250
"""Columns of the n-grams, and their principal components that are kept."""
NOT_FITTED = "wildguard-benign"

Array = NDArray[np.float64]


def fit(features: Array, labels: Array) -> Array:
    """Weights, bias last: Newton's method on the class-balanced log loss with a ridge."""
    design = np.hstack([features, np.ones((len(features), 1))])
    ridge = np.append(np.full(features.shape[1], RIDGE), 1e-3)
    balance = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (balance * (chance - labels)) + ridge * weights
        curve = (design * (balance * chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def caught(labels: Array, scores: Array, limit: float = 0.01) -> float:
    """Share of attacks above the score that at most `limit` of the harmless rows exceed."""
    harmless = np.sort(scores[labels == 0])[::-1]
    return float((scores[labels == 1] > harmless[int(limit * len(harmless))]).mean())


def held_out(features: Array, labels: Array, sources: NDArray[np.str_], left_out: str) -> Array:
    """Cross-validated scores of heads that never saw the attacks of `left_out`."""
    fold = np.zeros(len(labels), dtype=int)
    for source in np.unique(sources):
        rows = np.flatnonzero(sources == source)
        fold[np.random.default_rng(0).permutation(rows)] = np.arange(len(rows)) % FOLDS
    scores = np.zeros(len(labels))
    for number in range(FOLDS):
        train = (fold != number) & (sources != NOT_FITTED) & (sources != left_out)
        weights = fit(features[train], labels[train])
        scores[fold == number] = features[fold == number] @ weights[:-1] + weights[-1]
    return scores


def ngrams(text: str) -> Array:
    """Hashed counts of 3 to 5 characters, damped, of unit length."""
    found = np.zeros(HASHED)
    text = " ".join(text.lower().split())[:4000]
    for size in (3, 4, 5):
        for start in range(len(text) - size + 1):
            found[zlib.crc32(text[start : start + size].encode()) % HASHED] += 1
    found = np.log1p(found)
    return found / max(float(np.linalg.norm(found)), 1e-9)


def components(features: Array) -> Array:
    values, vectors = np.linalg.eigh(features @ features.T)
    return vectors[:, -KEPT:] * np.sqrt(np.maximum(values[-KEPT:], 0))


async def embedded(texts: list[str]) -> Array:
    return (await MiniLMEmbedder().embed(texts)).astype(float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    rows = [json.loads(line) for line in parser.parse_args().rows.read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows]
    labels = np.array([float(row["label"]) for row in rows])
    sources = np.array([row["source"] for row in rows])
    vectors, grams = asyncio.run(embedded(texts)), components(np.array([ngrams(text) for text in texts]))
    flags = np.array([float(screen_message(text).flag) for text in texts])
    print(f"{'attacks of':<18} {'signs':>7} {'vector':>7} {'n-grams':>7}")
    for left_out in ("", *np.unique(sources[labels == 1])):
        kept = (labels == 0) | (sources == left_out) | (left_out == "")
        heads = [
            caught(labels[kept], held_out(features, labels, sources, left_out)[kept]) for features in (vectors, grams)
        ]
        found = "".join(f" {share:7.3f}" for share in (caught(labels[kept], flags[kept]), *heads))
        print(f"{left_out or 'known sources':<18}{found}")


if __name__ == "__main__":
    main()
