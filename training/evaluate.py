"""The product with and without a checkpoint, on what `training.candidates` found.

    python -m training.evaluate CHECKPOINT FOUND/*.jsonl.gz

Abstention: one logistic regression over the signals of `pipeline/read/signals.py`, fitted on all sets together as
`bench/fit_confidence.py` does (each class of each set with the same weight), with and without the reader's numbers;
every figure is of rows left out of its fit. Ranking and choosing: the product's score plus a weight times the
reader's, the weight chosen on the rows left out. Standard errors are of the difference, by resampling documents.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bot.evaluation.scores import is_right
from pipeline.read.signals import WITH_VECTORS
from training.cases import FOLDS, Case, cases

RESAMPLES = 500
WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
SIGNALS = tuple(name for name in WITH_VECTORS if name != "bias")


def abstention(every: Sequence[Case], other: bool = False) -> None:
    """`other`: fitted on the other sets rather than on other documents."""
    known = [one for one in every if one.row["answerability"] in ("ANSWERABLE", "UNANSWERABLE")]
    known = [one for one in known if one.name != "doc2dial"]
    y = np.array([one.answerable for one in known])
    names = np.array([one.name for one in known])
    sets = sorted(set(names))
    if other:
        held = [names == name for name in sets]
    else:
        folds = np.array([one.fold for one in known])
        held = [folds == number for number in range(FOLDS)]
    weight = sum(
        1000 / ((names == s) & (y == c)).sum() * ((names == s) & (y == c)) for s in sets for c in (False, True)
    )
    seen = np.array([[(one.found["signals"] or {}).get(name, 0.0) for name in SIGNALS] for one in known])
    none = np.array([one.found["signals"] is None for one in known])
    numbers = np.array([one.numbers() for one in known])
    scores = {}
    for title, x in (("signals", seen), ("reader", numbers), ("both", np.c_[seen, numbers])):
        score = np.zeros(len(y))
        for part in held:
            middle, spread = x[~part].mean(0), x[~part].std(0) + 1e-9
            fit = LogisticRegression(C=0.3, max_iter=500).fit((x[~part] - middle) / spread, y[~part], weight[~part])
            score[part] = fit.predict_proba((x[part] - middle) / spread)[:, 1]
        scores[title] = np.where(none, 0.0, score)
    shown = np.array([not one.found["predicted"]["abstained"] for one in known])
    print("abstention, fitted on", "the other sets" if other else "other documents of all sets")
    for name in sets:
        of = names == name
        groups = [one.row["group"] for one in known if one.name == name]
        print(f"  {name}: {of.sum()} questions; product as it is {_balanced(y[of], shown[of]):.3f}")
        for title, score in scores.items():
            cuts = {cut: _balanced(y[of], score[of] >= cut) for cut in (0.4, 0.45, 0.5, 0.55)}
            auroc = roc_auc_score(y[of], score[of])
            print(f"    {title:8} AUROC {auroc:.3f}, balanced", ", ".join(f"{c}: {v:.3f}" for c, v in cuts.items()))
        a, b = scores["signals"][of] >= 0.5, scores["both"][of] >= 0.5
        t = y[of]
        print(f"    gain {_gain(lambda n, a=a, b=b, t=t: _balanced(t[n], b[n]) - _balanced(t[n], a[n]), groups)}")


def _balanced(y: np.ndarray, said: np.ndarray) -> float:
    return float((said[y].mean() + (~said[~y]).mean()) / 2)


def _gain(difference: Callable[[np.ndarray], float], groups: Sequence[str]) -> str:
    """With the standard error, from resampled groups."""
    draw = np.random.default_rng(1)
    unique = sorted(set(groups))
    rows = {group: [n for n, one in enumerate(groups) if one == group] for group in unique}
    drawn = []
    for _ in range(RESAMPLES):
        picked = [n for group in draw.choice(unique, len(unique)) for n in rows[group]]
        drawn.append(difference(np.array(picked)))
    return f"{difference(np.arange(len(groups))):+.3f} (standard error {np.nanstd(drawn):.3f})"


def ranking(every: Sequence[Case]) -> None:
    print("recall@1: product, with the reader")
    for name in sorted({one.name for one in every}):
        some = [one for one in every if one.name == name and one.row["gold_doc_ids"]]
        table = np.array([[_recall(one, weight) for weight in WEIGHTS] for one in some])
        _print(name, some, table[:, 0], table)


def choosing(every: Sequence[Case]) -> None:
    """The best sentence and its neighbour; `always` is the product's whole extract."""
    print("answer contains gold, two sentences: by the product's score, with the reader's")
    for name in sorted({one.name for one in every}):
        some = [one for one in every if one.name == name and one.answerable and one.readings]
        texts = [[_chosen(one, weight) for weight in WEIGHTS] for one in some]
        right = np.array([[is_right(one.row, text) for text in line] for one, line in zip(some, texts, strict=True)])
        _print(name, some, right[:, 0].astype(float), right.astype(float))
        words = statistics.mean(len(line[2].split()) for line in texts)
        whole = statistics.mean(is_right(one.row, one.found["always"]) for one in some)
        length = statistics.mean(len(one.found["always"].split()) for one in some)
        print(f"    words {words:.0f}; the product's extract {whole:.3f} in {length:.0f} words")


def _print(name: str, some: Sequence[Case], base: np.ndarray, table: np.ndarray) -> None:
    folds = np.array([one.fold for one in some])
    mixed = np.zeros(len(some))
    for number in range(FOLDS):
        best = int(table[folds != number].mean(0).argmax())
        mixed[folds == number] = table[folds == number, best]
    gain = _gain(lambda n: float((mixed - base)[n].mean()), [one.row["group"] for one in some])
    means = " ".join(f"{weight}: {value:.3f}" for weight, value in zip(WEIGHTS, table.mean(0), strict=True))
    print(f"  {name} ({len(some)}): {base.mean():.3f} -> {mixed.mean():.3f}, {gain}; by weight {means}")


def _recall(one: Case, weight: float) -> float:
    wanted = set(one.row["gold_doc_ids"])
    scored = zip(one.found["passages"], one.readings, strict=True)
    order = sorted(scored, key=lambda pair: -(pair[0]["score"] + weight * _unit(pair[1].answers)))
    first = [pair[0]["document"] for pair in order] if weight else []
    documents = list(dict.fromkeys([*first, *one.found["predicted"]["retrieved"]]))
    return len(wanted & set(documents[:1])) / len(wanted)


def _unit(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def _chosen(one: Case, weight: float) -> str:
    scored = []
    for passage, (first, last), reading in zip(one.found["passages"], one.windows, one.readings, strict=True):
        peak = max(reading.sentences)
        for number, unit in enumerate(passage["units"]):
            if unit[3]:
                read = (
                    _unit(reading.answers) * np.exp(reading.sentences[number - first] - peak)
                    if first <= number < last
                    else 0.0
                )
                scored.append((unit[4] + 5 * weight * read, passage["text"][unit[0] : unit[1]]))
    return " ".join(text for _, text in sorted(scored, key=lambda pair: -pair[0])[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("found", type=Path, nargs="+")
    parser.add_argument("--model", type=Path, default=Path("adapters/models/minilm"))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    every = cases(chosen.model, chosen.checkpoint, chosen.found)
    abstention(every)
    abstention(every, other=True)
    ranking(every)
    choosing(every)


if __name__ == "__main__":
    main()
