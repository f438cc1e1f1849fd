"""The second reader that comes with Citewell."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from pathlib import Path

import pytest

from adapters.models.cross_encoder.minilm import FOLDER, MODEL, MODEL_SHA256, TOKENIZER_SHA256, MiniLMCrossEncoder
from pipeline.errors import Unavailable

BERLIN = "How many people live in Berlin?"
PEOPLE = "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers."
MUSEUM = "Berlin is well known for its museums."


@pytest.fixture(scope="module")
def reader() -> MiniLMCrossEncoder:
    return MiniLMCrossEncoder(seconds=60)


def test_the_shipped_model_is_the_one_the_script_makes() -> None:
    for name, sha256 in ((MODEL, MODEL_SHA256), ("tokenizer.json", TOKENIZER_SHA256)):
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == sha256
    assert (FOLDER / MODEL).stat().st_size < 36_000_000


def test_the_licence_of_the_weights_comes_with_them() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text()
    assert "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1" in (FOLDER / "NOTICE").read_text()


async def test_what_answers_scores_above_what_is_about_the_same(reader: MiniLMCrossEncoder) -> None:
    """The example of the model's card, whose logits are 8.6 and -4.3 (`cross-encoder/ms-marco-MiniLM-L-12-v2`)."""
    answer, beside = await reader.score(BERLIN, [PEOPLE, MUSEUM])
    assert answer > 0.85
    assert beside < 0.5


async def test_scores_are_those_of_every_other_processor(reader: MiniLMCrossEncoder) -> None:
    """Noted on one with VNNI; `qemu-x86_64 -cpu Haswell .venv/bin/python -m pytest -n0` runs this on one without."""
    scores = await reader.score(BERLIN, [PEOPLE, MUSEUM, f"{MUSEUM} {PEOPLE}"])
    assert scores == pytest.approx([0.9143, 0.3200, 0.8938], abs=0.01)


async def test_a_stretch_has_one_score_alone_and_beside_others(reader: MiniLMCrossEncoder) -> None:
    together = await reader.score(BERLIN, [MUSEUM, PEOPLE, MUSEUM])
    assert together == [
        *(await reader.score(BERLIN, [MUSEUM])),
        *(await reader.score(BERLIN, [PEOPLE])),
        together[0],
    ]


async def test_nothing_has_no_scores_and_a_stretch_without_end_has_one(reader: MiniLMCrossEncoder) -> None:
    assert await reader.score(BERLIN, []) == []
    (score,) = await reader.score(BERLIN, [" ".join([MUSEUM] * 2000)])
    assert 0 < score < 1


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_it_steps_aside_where_more_is_asked_than_it_can_read_and_comes_back() -> None:
    clock = Clock()
    reader = MiniLMCrossEncoder(clock=clock, seconds=60)
    flood = [await reader.score(BERLIN, [PEOPLE]) for _ in range(1000)]
    assert flood[0] is not None
    assert flood[-1] is None
    clock.now += 60
    assert await reader.score(BERLIN, [PEOPLE]) is not None


async def test_beside_others_only_as_many_are_read_for_as_come_to_an_end_in_time() -> None:
    reader = MiniLMCrossEncoder(seconds=0.2, threads=1)
    await reader.load()
    read = await asyncio.gather(*(reader.score(BERLIN, [PEOPLE] * 5) for _ in range(9)))
    assert None in read


async def test_one_who_waits_too_long_goes_on_without_it() -> None:
    assert await MiniLMCrossEncoder(seconds=1e-6).score(BERLIN, [PEOPLE]) is None


async def test_a_file_that_is_missing_is_named_as_the_readers(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    with pytest.raises(Unavailable, match="reader"):
        await MiniLMCrossEncoder(tmp_path, seconds=60).score(BERLIN, [PEOPLE])
