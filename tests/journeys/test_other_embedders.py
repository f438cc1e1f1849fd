"""The thresholds are those of MiniLM: an embedder of other cosines answers and abstains as it does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bot.wiring
from adapters.models.minilm.embedder import MiniLMEmbedder
from adapters.models.onnx.model import OutputArray, TextOrPair
from bot.citewell import Citewell
from bot.documents.calibration import ScoreCalibrator
from bot.wiring import open_citewell
from pipeline.find.calibration import NO_CALIBRATION
from pipeline.ports import Embedder
from tests.doubles.embedders import Compressed, Shifted
from tests.doubles.settings import extractive

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = ROOT / "examples" / "handbook"
QUESTIONS = [
    row["question"]
    for row in map(json.loads, (ROOT / "tests" / "golden" / "questions.jsonl").read_text("utf-8").splitlines())
    if not row.get("history")
]
Opened = Callable[[Embedder], Any]


@pytest.fixture(scope="module")
def vectors() -> dict[TextOrPair, OutputArray]:
    return {}


@pytest.fixture(autouse=True)
def embedded_once(
    model: MiniLMEmbedder, vectors: dict[TextOrPair, OutputArray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every embedder here is MiniLM, seen differently: it makes its vector of a text once."""
    rows = model._graph.run

    async def remembered(texts: Sequence[TextOrPair]) -> list[OutputArray]:
        new = [one for one in dict.fromkeys(texts) if one not in vectors]
        vectors.update(zip(new, await rows(new), strict=True) if new else ())
        return [vectors[one] for one in texts]

    monkeypatch.setattr(model._graph, "run", remembered)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    @asynccontextmanager
    async def opened(embedder: Embedder) -> AsyncIterator[Citewell]:
        @asynccontextmanager
        async def given(_: object) -> AsyncIterator[Embedder]:
            yield embedder

        monkeypatch.setattr(bot.wiring, "open_embedder", given)
        async with open_citewell(extractive(tmp_path / embedder.name)) as citewell:
            yield citewell

    return opened


async def told(citewell: Citewell) -> list[tuple[str, str]]:
    """Of each question what came of it, and the passage that is cited first."""
    await citewell.index([HANDBOOK])
    answers = [await citewell.answer(question) for question in QUESTIONS]
    return [(one.outcome.value, one.citations[0].chunk_id if one.citations else "") for one in answers]


async def test_the_handbook_is_answered_alike_whatever_the_cosines_of_the_embedder(opened: Opened) -> None:
    """The same outcomes, and the same passage first wherever something is answered."""
    async with opened(MiniLMEmbedder()) as citewell:
        expected = await told(citewell)
    assert len({outcome for outcome, _ in expected}) > 1
    for other in (Shifted(), Compressed()):
        async with opened(other) as citewell:
            assert await told(citewell) == expected


async def test_a_scale_is_measured_once_and_again_when_the_library_has_grown_much(
    opened: Opened, tmp_path: Path
) -> None:
    other = Shifted()
    async with opened(other) as citewell:
        await citewell.index([HANDBOOK / "vacation.md", HANDBOOK / "sick-leave.txt"])
        await citewell.answer("How many vacation days do I get?")
        measured = other.asked
        await citewell.answer("Who covers sick leave?")
        assert other.asked == measured + 1
    async with opened(other) as citewell:
        await citewell.answer("Is vacation paid out?")
        assert other.asked == measured + 2
        await citewell.index([HANDBOOK])
        await citewell.answer("How long is vacation planned ahead?")
        assert other.asked > measured + 20


async def test_without_a_scale_words_are_searched_alone(opened: Opened) -> None:
    """Rather than compared with thresholds of other cosines: the answer says so."""
    other = Shifted()
    async with opened(other) as citewell:
        await citewell.index([HANDBOOK])
        other.mute = "What"
        answer = await citewell.answer("Vacation days: how many?")
        assert "search_degraded: embedder" in answer.usage.notes
        other.mute = "nothing"
        answer = await citewell.answer("Vacation days: how many?")
        assert "search_degraded: embedder" not in answer.usage.notes


async def test_questions_are_as_near_to_each_other_as_minilm_has_them(opened: Opened) -> None:
    """What insights put together."""
    questions = ["How many vacation days do I get?", "Is annual leave paid?", "How much leave do I get?", "Who is ill?"]
    expected = NO_CALIBRATION.unit_cosines(await MiniLMEmbedder().embed(questions))
    other = Compressed()
    async with opened(other) as citewell:
        await citewell.index([HANDBOOK])
        scale = await ScoreCalibrator(citewell.storage.database, other).current()
        assert np.abs(scale.unit_cosines(await other.embed(questions)) - expected).max() < 0.03
