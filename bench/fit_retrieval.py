"""Fit the three weights of `pipeline/find/fusion.py` on public development data.

    python bench/fit_retrieval.py DATA --folder FOLDER

Single questions only (the last turn of a thread). The weights maximise the likelihood of the gold passages among those
read for each question, every set counting the same; recall is printed for halves the weights were not fitted on. The
indexes are kept in `--folder` and brought up to date on the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.config.settings import Settings  # noqa: E402
from bot.wiring import open_citewell  # noqa: E402
from pipeline.find.fusion import FUSION_WEIGHTS, measure_passages, score_passages  # noqa: E402
from pipeline.find.rank import Ranker  # noqa: E402

SETS = ("squad2", "clapnq", "mtrag_cloud", "doc2dial")
"""Licences: CC BY-SA 4.0, Apache-2.0, Apache-2.0, CC BY 3.0."""
FIRST = 500
"""Questions with gold documents of each set."""
STEPS, RATE, SHRINK = 400, 0.1, 0.001


@dataclass(frozen=True)
class Question:
    name: str
    measures: NDArray[np.float64]
    documents: list[str]
    gold: frozenset[str]

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.array([one in self.gold for one in self.documents], bool)

    def recall(self, weights: NDArray[np.float64], k: int) -> float:
        order = np.argsort(-self.measures @ weights, kind="stable")
        ranked = list(dict.fromkeys(self.documents[place] for place in order))
        return len(self.gold & set(ranked[:k])) / len(self.gold)


async def collect(data: Path, folder: Path, name: str) -> list[Question]:
    lines = (data / name / "dev.jsonl").read_text(encoding="utf-8").strip().split("\n")
    rows = [row for row in map(json.loads, lines) if row["gold_doc_ids"]][:FIRST]
    questions = []
    async with open_citewell(Settings(data=folder / name)) as citewell:
        await citewell.index([data / name / "corpus.jsonl"], prefix="")
        storage, audience = citewell.storage, await citewell.all_collections()
        ranker = Ranker(storage.index, storage.library, citewell.embedder, audience)
        for row in rows:
            asked = await ranker.execute_query(row["question"])
            ids = [hit.chunk_id for hit in (*asked.lexical, *asked.nearest)]
            passages, vectors = await storage.library.get_with_vectors(list(dict.fromkeys(ids)))
            found = score_passages(asked, measure_passages(asked, passages, vectors))
            documents = [document.id for _, document in passages]
            questions.append(Question(name, found.measures, documents, frozenset(row["gold_doc_ids"])))
    return questions


def fitted(questions: list[Question]) -> NDArray[np.float64]:
    """Weights that are not negative and add up to 1, by gradient ascent (Adam)."""
    useful = [one for one in questions if one.right.any()]
    share = {name: 1 / sum(one.name == name for one in useful) for name in {one.name for one in useful}}
    weights, mean, square = np.ones(3), np.zeros(3), np.zeros(3)
    for step in range(1, STEPS + 1):
        gradient = -SHRINK * weights
        for one in useful:
            scores = one.measures @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            right = np.where(one.right, chance, 0.0)
            gradient += share[one.name] / len(share) * ((right / right.sum() - chance) @ one.measures)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        weights += RATE * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.maximum(weights, 0.0)
    total: NDArray[np.float64] = weights / weights.sum()
    return total


def report(title: str, pairs: list[tuple[Question, NDArray[np.float64]]]) -> None:
    print(f"\n{title}")
    for name in SETS:
        found = [[one.recall(weights, k) for k in (1, 5)] for one, weights in pairs if one.name == name]
        if found:
            first, fifth = np.mean(found, axis=0)
            print(f"  {name:12} R@1 {first:.3f}  R@5 {fifth:.3f}  ({len(found)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folder", type=Path, required=True, help="where the indexes are kept")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    arguments = parser.parse_args()
    questions = [one for name in arguments.sets for one in asyncio.run(collect(arguments.data, arguments.folder, name))]
    report("weights in force", [(one, FUSION_WEIGHTS) for one in questions])
    halves = questions[::2], questions[1::2]
    crossed = [(one, weights) for half, other in (halves, halves[::-1]) for weights in [fitted(other)] for one in half]
    report("fitted on the other half", crossed)
    print("\nWEIGHTS =", np.round(fitted(questions), 2).tolist())


if __name__ == "__main__":
    main()
