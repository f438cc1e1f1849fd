"""The weights by which a sentence of a document is taken for an order to an assistant.

    python -m bench.fit_orders FOLDER... [--planted CASES.json] [--write]

FOLDERs hold real documents, in which nothing is an order (`docs` and `README.md` of this repository among them). Half
of the files are fitted on, and how many of the others would be flagged is counted beside the orders that are found, of
those in `bench/orders/kept-orders.txt`, of the test half of `tests/quality/injections.jsonl` and of `--planted`, which
are not fitted on either. `--write` then fits on all of it but the test half and `--planted`, and writes
`pipeline/screen/weights.json`. Needs scikit-learn, a tool for whoever fits. See `docs/decisions/0010-screen.md`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.screen.documents import WEIGHTS_FILE, screening_features
from pipeline.words.text import sentence_spans

HERE = Path(__file__).parent
ORDERS = HERE / "orders"
ROWS = HERE.parent / "tests" / "quality" / "injections.jsonl"
KINDS = {".md", ".mdx", ".rst", ".txt", ".adoc", ".html"}
KEPT = 6000
"""Grams that have a weight: with all 200,000 as many orders are found at as many false alarms, with 2,500 fewer."""
OF_ORDERS, OF_OTHERS = 3.0, 4.0
"""How much a planted sentence of the rows counts, and one that only looks like an order."""
MADE, HANDED = 6, 3
"""Sentences made from each frame, and from each order that was written by hand."""
STOPPED = 0.7
"""Share of them that keep their full stop."""
SHORTEST, LONGEST = 12, 600
"""Characters of a sentence of a real document."""
LARGEST = 400_000
QUOTING = {"0010-screen.md"}
"""Files that quote orders."""
TOPIC = re.compile(r"#{1,4} ([A-Za-z][A-Za-z -]{4,28}[a-z])")
CLAIM = re.compile(r"((?:The|This|It|Our|All|No|Each) [A-Za-z0-9 ,'-]{8,60})\.")
HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Row:
    text: str
    order: bool
    counts: float
    file: str = ""


def lines(name: str) -> list[str]:
    return (ORDERS / name).read_text(encoding="utf-8").splitlines()


def made(found: Sequence[Row], frames: Sequence[str], drawn: random.Random) -> Iterator[str]:
    """A sentence from each frame, the same for the same seed. What they are about and claim is taken from real
    documents, so that no topic counts as a sign of an order."""
    texts = [row.text for row in found]
    fillers = {name: words.split("|") for name, _, words in (line.partition("|") for line in lines("words.txt"))}
    fillers["T"] = [topic[1].lower() for topic in map(TOPIC.fullmatch, texts) if topic][:: len(texts) // 20000 + 1]
    fillers["C"] = [claim[1].lower() for claim in map(CLAIM.fullmatch, texts) if claim][:: len(texts) // 20000 + 1]
    for frame in frames:
        said = frame
        while hole := HOLE.search(said):
            name = hole[1]
            word = drawn.choice(fillers[name.removesuffix("c")])
            word = f"{word[0].upper()}{word[1:]}" if name.endswith("c") else word
            said = f"{said[: hole.start()]}{word}{said[hole.end() :]}"
        said = said.replace("summarys", "summaries").replace("replys", "replies")
        yield said[0].upper() + (said[1:] if drawn.random() < STOPPED else said[1:].removesuffix("."))


def written(found: Sequence[Row], *, everything: bool) -> Iterator[Row]:
    """What is fitted on of what was written for it."""
    frames = [*lines("frames.txt") * MADE, *lines("orders.txt") * HANDED]
    frames += lines("kept-orders.txt") * HANDED if everything else []
    yield from (Row(text, True, 1.0) for text in made(found, frames, random.Random(1)))
    yield from (Row(text, False, OF_OTHERS) for text in lines("others.txt"))
    if everything:
        yield from (Row(text, False, OF_OTHERS) for text in lines("kept-others.txt"))
    for row in map(json.loads, ROWS.read_text(encoding="utf-8").splitlines()):
        if row["half"] == "dev":
            yield Row(row["planted"], row["harmful"], OF_ORDERS if row["harmful"] else OF_OTHERS)


def real(folders: Sequence[Path]) -> list[Row]:
    """The sentences of real documents, each once."""
    seen, found = set[str](), list[Row]()
    for folder in folders:
        paths = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
        for path in paths:
            if path.suffix.lower() not in KINDS or path.stat().st_size > LARGEST or path.name in QUOTING:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            for start, end in sentence_spans(text):
                said = text[start:end]
                if SHORTEST <= len(said) <= LONGEST and said not in seen:
                    seen.add(said)
                    found.append(Row(said, False, 1.0, str(path)))
    return found


def half(row: Row) -> bool:
    return hashlib.sha256(row.file.encode()).digest()[0] % 2 == 0


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The weight of each gram, and of none (`""`), on windows as they are weighed."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    of = [(row, window) for row in rows for window in screening_features(row.text)]

    def fitted(columns: Any) -> Any:
        head = LogisticRegression(C=1, max_iter=100, solver="liblinear", tol=1e-3, random_state=0)
        return head.fit(columns, [row.order for row, _ in of], sample_weight=[row.counts for row, _ in of])

    counted = CountVectorizer(analyzer=list, binary=True, min_df=2)
    columns = counted.fit_transform([window for _, window in of])
    kept = np.argsort(-np.abs(fitted(columns).coef_[0]))[:KEPT]
    head = fitted(columns[:, kept])
    names = counted.get_feature_names_out()[kept]
    weights = {str(name): round(float(weight), 2) for name, weight in zip(names, head.coef_[0], strict=True)}
    return {"": round(float(head.intercept_[0]), 2)} | dict(sorted(weights.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--planted", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = real(args.folders)
    print(f"{len(found)} sentences of {len({row.file for row in found})} files", file=sys.stderr)
    fitted = list(filter(half, found))
    weights = fit([*written(fitted, everything=False), *fitted])
    kept = {
        "kept orders": list(made(found, lines("kept-orders.txt"), random.Random(2))),
        "test half": [
            row["planted"]
            for row in map(json.loads, ROWS.read_text(encoding="utf-8").splitlines())
            if row["harmful"] and row["half"] == "test"
        ],
        "kept others": lines("kept-others.txt"),
    }
    if args.planted:
        kept["planted"] = [order for _, order, _ in json.loads(args.planted.read_text(encoding="utf-8"))]
    report(weights, [row for row in found if not half(row)], kept)
    if args.write:
        weights = fit([*written(found, everything=True), *found])
        WEIGHTS_FILE.write_text(json.dumps(weights, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def worth(weights: dict[str, float], text: str) -> float:
    return max(weights[""] + sum(weights.get(gram, 0.0) for gram in window) for window in screening_features(text))


def report(weights: dict[str, float], others: Sequence[Row], kept: dict[str, list[str]]) -> None:
    """At each threshold: what is found of each kind, and the sentences and files of real documents that are."""
    worths = [(worth(weights, row.text), row) for row in others]
    files = len({row.file for row in others})
    print("from " + "".join(f"{name:>13}" for name in kept) + f"{'sentences':>13}{'files':>8} of {files}")
    for least in (4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0):
        shares = [np.mean([worth(weights, text) >= least for text in texts]) for texts in kept.values()]
        over = [row for value, row in worths if value >= least]
        counts = f"{len(over):13}{len({row.file for row in over}):8}"
        print(f"{least:5}" + "".join(f"{share:13.2f}" for share in shares) + counts)
    for value, row in sorted(worths, key=lambda one: -one[0])[:25]:
        print(f"{value:6.2f} {row.file[-40:]} | {row.text[:110]!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
