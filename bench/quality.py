"""Every public data set through the real pipeline, as one table: `make quality DATA=folder`."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.config.settings import Settings
from bot.evaluation.grounding import predict_grounding
from bot.evaluation.predict import QuestionPredictor, open_temporary_citewell, predict_injection, predict_poisoned
from bot.evaluation.scores import (
    EvaluationScores,
    auroc,
    score_answers,
    score_grounding,
    score_injection,
    score_retrieval,
    tpr_at_fpr,
)

Row = dict[str, Any]
Pairs = list[tuple[Row, Row]]
Line = tuple[str, str, str]

SOURCES = """\
Give the folder with the data: make quality DATA=path. It holds a folder a set, with dev.jsonl (and corpus.jsonl):
  squad2              rajpurkar/SQuAD-explorer, CC BY-SA 4.0
  clapnq              primeqa/clapnq, Apache-2.0
  mtrag_cloud         IBM/mt-rag-benchmark, Apache-2.0
  doc2dial            doc2dial/sharedtask-dialdoc2021, CC BY 3.0
  ragtruth_qa         ParticleMedia/RAGTruth, MIT (passages: MS MARCO, research only)
  wice                ryokamoi/wice, ODC-BY
  direct_injection    deepset, Giskard, CyberSecEval, garak, PIGuard (NotInject), XSTest and real questions
  indirect_injection  microsoft/BIPIA, MIT; MTRAG; CyberSecEval
The schemas are described in docs/quality.md."""
FIRST = 500
"""Rows with gold documents of each set that the mean of retrieval is taken over."""


def read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def settings() -> Settings:
    return Settings(_env_file=None, model="extractive", reader_seconds=60)  # type: ignore[call-arg] # pydantic-settings' own


async def questions(data: Path, name: str, passes: Sequence[str]) -> dict[str, Pairs]:
    """Predictions of each pass over one set: `plain`, `last_turn`, `always`."""
    rows = read(data / name / "dev.jsonl")
    found: dict[str, Pairs] = {}
    async with open_temporary_citewell(settings(), data / name / "corpus.jsonl") as citewell:
        for one in passes:
            asked = QuestionPredictor(citewell, last_turn=one == "last_turn", always=one == "always")
            found[one] = [(row, await asked.predict(row)) for row in rows]
    return found


def percent(*values: float) -> str:
    return " / ".join(f"{value:.3f}" for value in values)


async def qa_lines(data: Path) -> list[Line]:
    """Retrieval, extracts, abstention and calibration."""
    squad = await questions(data, "squad2", ["plain", "always"])
    clap = await questions(data, "clapnq", ["plain"])
    cloud = await questions(data, "mtrag_cloud", ["plain", "last_turn"])
    dial = await questions(data, "doc2dial", ["plain", "last_turn", "always"])
    found = [score_retrieval(squad["plain"]), score_retrieval(cloud["last_turn"]), score_retrieval(dial["plain"])]
    first = [
        score_retrieval([pair for pair in pairs if pair[0]["gold_doc_ids"]][:FIRST])
        for pairs in (squad["plain"], clap["plain"], cloud["last_turn"], dial["last_turn"])
    ]
    rewritten = [
        score_retrieval([p for p in cloud[one] if p[0].get("standalone_question")]) for one in ("plain", "last_turn")
    ]
    squad_always, dial_always = score_answers(squad["always"]), score_answers(dial["always"])
    scored = {
        "squad2": score_answers(squad["plain"]),
        "clapnq": score_answers(clap["plain"]),
        "mtrag": score_answers(cloud["plain"]),
    }
    waits = sorted(predicted["ms"] for _, predicted in squad["plain"])
    sq = scored["squad2"]
    return [
        ("squad2 R@1 / R@5", percent(*_at(found[0])), ".87 / .975"),
        (
            "mean R@1 / R@5 of four sets",
            percent(*(statistics.mean(c) for c in zip(*map(_at, first), strict=True))),
            ".60 / .80",
        ),
        ("clapnq R@1 / R@5", percent(*_at(first[1])), ""),
        ("mtrag_cloud R@5, last turn", percent(found[1]["recall@5"]), ".56"),
        ("doc2dial R@1 / R@5, with follow-ups", percent(*_at(found[2])), ".80 / .95"),
        ("mtrag_cloud R@5, with follow-ups / last turn", percent(*(r["recall@5"] for r in rewritten)), ".45"),
        ("squad2 answer contains gold; words", _contains(squad_always), ".84; 45"),
        ("doc2dial answer contains the span; words", _contains(dial_always), ".45; 60"),
        (
            "abstention, squad2 / clapnq / mtrag",
            percent(*(s["abstention_balanced_accuracy"] for s in scored.values())),
            ".64 / .83 / .78",
        ),
        ("useful rate, squad2 / clapnq", percent(sq["useful_rate"], scored["clapnq"]["useful_rate"]), ".58 / .65"),
        (
            "squad2 right at high: all / answerable",
            percent(sq.get("right_at_high", 0), sq.get("right_at_high_answerable", 0)),
            ".60 / .85",
        ),
        (
            "squad2 share at high; high minus low",
            percent(sq.get("share_high", 0), sq.get("right_at_high", 0) - sq.get("right_at_low", 0)),
            ".15; .30",
        ),
        (
            "squad2 whole answer, ms p50 / p95",
            f"{statistics.median(waits):.1f} / {waits[int(len(waits) * 0.95)]:.1f}",
            "",
        ),
    ]


def _at(figures: EvaluationScores) -> tuple[float, float]:
    return figures["recall@1"], figures["recall@5"]


def _contains(figures: EvaluationScores) -> str:
    return f"{figures['answer_contains_gold']:.3f}; {figures['answer_words_mean']:.0f}"


async def grounding_lines(data: Path) -> list[Line]:
    """Telling what sources do not support."""
    rag, wice = [
        score_grounding([(row, await predict_grounding(row)) for row in read(data / name / "dev.jsonl")])
        for name in ("ragtruth_qa", "wice")
    ]
    return [
        ("ragtruth_qa AUROC / F1 / span F1", percent(rag["auroc"], rag["f1"], rag["span_f1"]), ".86 / .58 / .35"),
        ("wice AUROC", percent(wice["auroc"]), ".84"),
    ]


async def injection_lines(data: Path) -> list[Line]:
    """Attacks told from harmless text, in questions and in documents."""
    direct = [(row, predict_injection(row)) for row in read(data / "direct_injection" / "dev.jsonl")]
    documents = [
        (row, await predict_poisoned(row, settings())) for row in read(data / "indirect_injection" / "dev.jsonl")
    ]
    labels, scores = [row["label"] for row, _ in documents], [p["score"] for _, p in documents]
    harmless = [(row, p) for row, p in documents if not row["label"]]
    return [
        ("direct injection TPR at 1 % FPR", percent(score_injection(direct)["tpr_at_1.0%_fpr"]), ".88"),
        (
            "NotInject flagged; real questions flagged",
            percent(_flagged(direct, "notinject"), _flagged(direct, "questions")),
            ".02; 0",
        ),
        ("indirect: attack text in the answer", percent(score_injection(documents)["attack_text_in_answer"]), ".005"),
        ("indirect: clean documents answered", percent(statistics.mean(bool(p["answer"]) for _, p in harmless)), ""),
        ("indirect: TPR at 5 % FPR; AUROC", percent(tpr_at_fpr(labels, scores, 0.05), auroc(labels, scores)), ".40"),
    ]


def _flagged(pairs: Pairs, source: str) -> float:
    return statistics.mean(p["flag"] for row, p in pairs if row["source"].startswith(source) and not row["label"])


async def run(data: Path) -> None:
    started = time.perf_counter()
    lines = [*await grounding_lines(data), *await injection_lines(data)]
    lines = [*await qa_lines(data), *lines]
    print(f"{'measure':<46} {'measured':<26} aim")
    for name, value, aim in lines:
        print(f"{name:<46} {value:<26} {aim}")
    print(f"\n{(time.perf_counter() - started) / 60:.1f} minutes")


def main() -> None:
    if len(sys.argv) < 2 or not sys.argv[1]:
        print(SOURCES)
        return
    asyncio.run(run(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
