"""Pairs as tokens, and how they are varied."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from training.data import LONGEST, SEEN, Pair, batches, crop, load_tokenizer, read, vary

MODEL = Path(__file__).resolve().parents[3] / "adapters" / "models" / "minilm"
TEXT = "Leave is asked for in writing. It is granted by the manager. Ten days may be carried over. Sick days are not."
ANSWER = "It is granted by the manager."


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(MODEL)


def row(**changes: Any) -> dict[str, Any]:
    start = TEXT.index(ANSWER)
    given = {"task": "question", "source": "own-pos", "text": "Who grants leave?", "passage": TEXT}
    return {**given, "label": 1, "about": 1, "evidence": [start, start + len(ANSWER)], **changes}


def pairs_of(tokenizer: Tokenizer, folder: Path, *rows: dict[str, Any]) -> list[Pair]:
    path = folder / "pairs.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(one) + "\n" for one in rows)
    return [pair for some in read([path], tokenizer) for pair in some]


def told(tokenizer: Tokenizer, pair: Pair, sentence: int) -> str:
    return str(tokenizer.decode(pair.passage[pair.sentence == sentence].tolist()))


def test_the_sentence_that_answers_is_found_again_by_its_number(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (pair,) = pairs_of(tokenizer, tmp_path, row())
    assert told(tokenizer, pair, pair.answer) == "it is granted by the manager."


def test_claims_and_what_is_too_long_are_left_out(tokenizer: Tokenizer, tmp_path: Path) -> None:
    long = TEXT + " And so on." * LONGEST
    assert pairs_of(tokenizer, tmp_path, row(task="claim"), row(passage=long)) == []


def test_passages_held_aside_are_not_trained_on(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for number in range(400):
            out.writelines(json.dumps(row(passage=f"{number}. {TEXT}", label=label)) + "\n" for label in (0, 1))
    train, held = read([path], tokenizer)
    assert held
    assert {pair.passage.tobytes() for pair in train}.isdisjoint(pair.passage.tobytes() for pair in held)


@pytest.mark.parametrize("seed", range(40))
def test_a_varied_pair_answers_only_while_it_has_the_sentence_that_answers(
    tokenizer: Tokenizer, tmp_path: Path, seed: int
) -> None:
    (pair,) = pairs_of(tokenizer, tmp_path, row())
    varied = vary([pair], pair, random.Random(seed))
    if varied.label:
        assert told(tokenizer, varied, varied.answer) == "it is granted by the manager."
    elif varied.source == "without":
        assert "granted" not in tokenizer.decode(varied.passage.tolist())


@pytest.mark.parametrize("seed", range(20))
def test_a_passage_is_cut_around_the_sentence_that_answers(tokenizer: Tokenizer, tmp_path: Path, seed: int) -> None:
    (pair,) = pairs_of(tokenizer, tmp_path, row(passage=TEXT + " More of the same is said about other things." * 12))
    cut = crop(pair, random.Random(seed))
    assert len(cut.passage) <= max(SEEN)
    assert told(tokenizer, cut, cut.answer) == "it is granted by the manager."


def test_batches_keep_within_their_tokens(tokenizer: Tokenizer, tmp_path: Path) -> None:
    some = pairs_of(tokenizer, tmp_path, row(), row(text="Who grants leave to those who are new here?"))
    ready = batches(some * 300, 400, random.Random(1))
    for _ in range(50):
        batch = next(ready)
        assert len(batch) * max(map(len, batch)) <= 400


@pytest.mark.parametrize("seed", range(20))
def test_a_wrong_passage_is_cut_around_what_is_most_like_the_question(
    tokenizer: Tokenizer, tmp_path: Path, seed: int
) -> None:
    wrong = row(label=0, evidence=None, text="Who grants leave?", passage="Other things are said here. " * 20 + TEXT)
    (pair,) = pairs_of(tokenizer, tmp_path, wrong)
    assert "leave is asked for" in tokenizer.decode(crop(pair, random.Random(seed)).passage.tolist())
