"""The figures of `citewell eval`, checked by hand and against the public scorers where they are present."""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.scores import SCORERS, auroc, score_detection, tpr_at_fpr

SCORE = Path(os.environ.get("EVAL_DATA", Path(__file__).parents[4] / "shared" / "eval")) / "score"


def test_auroc_counts_ties_half() -> None:
    assert auroc([1, 0, 1, 0], [0.9, 0.1, 0.5, 0.5]) == pytest.approx(0.875)
    assert math.isnan(auroc([1, 1], [0.1, 0.2]))


def test_tpr_is_the_best_within_the_limit() -> None:
    assert tpr_at_fpr([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], 0.0) == 0.5
    assert tpr_at_fpr([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], 0.5) == 1.0


def test_balanced_accuracy_weighs_both_classes_alike() -> None:
    assert score_detection([1, 0, 0, 0], [1, 0, 0, 1])["balanced_accuracy"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.fixture(scope="module")
def public() -> Iterator[None]:
    if not SCORE.is_dir():
        pytest.skip(f"the public scorers are not here ({SCORE}); set EVAL_DATA to a folder that has score/")
    sys.path.insert(0, str(SCORE))
    yield
    sys.path.remove(str(SCORE))


def module(name: str) -> Any:
    return importlib.import_module(name)


ids = st.integers(0, 6).map(str)
words = st.lists(st.sampled_from("the red fox ran over 25 lazy dogs in May".split()), max_size=8).map(" ".join)
level = st.sampled_from(["high", "medium", "low"])
qa_row = st.fixed_dictionaries(
    {
        "answerability": st.sampled_from(["ANSWERABLE", "UNANSWERABLE", "PARTIAL", "CONVERSATIONAL"]),
        "gold_doc_ids": st.lists(ids, max_size=2, unique=True),
        "answers": st.lists(words, max_size=2),
        "reference_answer": words,
    }
)
qa_prediction = st.fixed_dictionaries(
    {
        "retrieved": st.lists(ids, max_size=12),
        "answer": words,
        "abstained": st.booleans(),
        "confidence": st.sampled_from([0.1, 0.4, 0.8, 0.9]),
        "level": level,
        "cited": st.lists(ids, max_size=2),
    }
)


@given(st.lists(st.tuples(qa_row, qa_prediction), min_size=1, max_size=12))
def test_question_answering_is_scored_as_the_public_scorer_does(public: None, rows: list[tuple[Any, Any]]) -> None:
    score_qa = module("score_qa")
    pairs = [(gold | {"id": str(i)}, predicted | {"id": str(i)}) for i, (gold, predicted) in enumerate(rows)]
    theirs = score_qa.retrieval(pairs) | (score_qa.answers(pairs) or {})
    theirs["abstention_balanced_accuracy"] = theirs.pop("abstention", {}).get("balanced_accuracy")
    for scorer in SCORERS["qa"]:
        for name, value in scorer(pairs).items():
            if name in theirs and theirs[name] is not None:
                assert value == pytest.approx(theirs[name], nan_ok=True), name


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.floats(0, 1), st.booleans(), st.integers(0, 8), st.integers(0, 8)), min_size=2
    )
)
def test_grounding_is_scored_as_the_public_scorer_does(public: None, rows: list[Any]) -> None:
    pairs = [
        (
            {"label": label, "response": "12345678", "spans": [{"start": a, "end": b}] if a < b else []},
            {"score": score, "flag": flag, "spans": [[min(a, 4), b]]},
        )
        for label, score, flag, a, b in rows
    ]
    theirs = module("score_grounding").score(pairs, 0.5)
    for name, value in SCORERS["grounding"][0](pairs).items():
        if theirs.get(name) is not None:
            assert value == pytest.approx(theirs[name]), name


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=2))
def test_ranking_figures_are_those_of_the_public_scorer(public: None, rows: list[tuple[int, float]]) -> None:
    labels, scores = [label for label, _ in rows], [score for _, score in rows]
    common = module("common")
    if len(set(labels)) == 2:
        assert auroc(labels, scores) == pytest.approx(common.auroc(labels, scores))
        assert tpr_at_fpr(labels, scores, 0.05) == pytest.approx(common.tpr_at_fpr(labels, scores, 0.05))
