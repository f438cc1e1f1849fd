"""The embedder that comes with Citewell."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.minilm.embedder import FOLDER, MAX_TOKENS, MODEL_SHA256, MiniLMEmbedder
from adapters.models.onnx.embedder import OnnxEmbedder
from adapters.models.onnx.model import load_onnxruntime
from pipeline.errors import Unavailable
from pipeline.words.text import strip_invisible

VECTORS = Path(__file__).parent / "vectors.npy"
TEXTS = [
    "Employees may take 28 days of annual leave.",
    "How much holiday do staff get?",
    "The pump must be primed before it is started.",
]
WORDS = [word for text in TEXTS for word in text.split()] * 12
COUNTING = MiniLMEmbedder()
LENGTHS = (1, 2, 5, 17, 60, 140, 250)


def of_lengths(lengths: Iterable[int]) -> list[str]:
    return [" ".join(WORDS[-length:]) for length in lengths]


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def test_the_shipped_model_is_the_one_the_script_makes() -> None:
    content = (FOLDER / "model.int8.onnx").read_bytes()
    assert hashlib.sha256(content).hexdigest() == MODEL_SHA256
    assert len(content) < 24_000_000


def test_the_licence_of_the_weights_comes_with_them() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text()
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in (FOLDER / "NOTICE").read_text()


async def test_vectors_have_unit_length_and_related_texts_are_near(minilm: MiniLMEmbedder) -> None:
    vectors = await minilm.embed(TEXTS)
    assert vectors.shape == (3, minilm.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert vectors[0] @ vectors[1] > 0.4 > 0.2 > vectors[0] @ vectors[2]


async def test_a_text_has_one_vector_alone_and_in_any_batch(minilm: MiniLMEmbedder) -> None:
    texts = of_lengths(range(1, 251, 6))
    alone = np.concatenate([await minilm.embed([text]) for text in texts])
    assert np.array_equal(await minilm.embed(texts), alone)
    assert np.array_equal(await minilm.embed(texts[::-3]), alone[::-3])


async def test_vectors_are_those_of_every_other_processor(minilm: MiniLMEmbedder) -> None:
    """Noted on one with VNNI; `qemu-x86_64 -cpu Haswell .venv/bin/python -m pytest -n0` runs this on one without."""
    assert ((await minilm.embed(of_lengths(LENGTHS))) * np.load(VECTORS)).sum(axis=1).min() > 0.9999


async def test_a_question_is_remembered(minilm: MiniLMEmbedder) -> None:
    first = await minilm.embed_question("What is the notice period?")
    assert await minilm.embed_question("What is the notice period?") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


async def test_a_question_has_the_vector_of_its_text(minilm: MiniLMEmbedder) -> None:
    assert np.array_equal(await minilm.embed_question(TEXTS[0]), (await minilm.embed(TEXTS))[0])


async def test_no_texts_have_no_vectors(minilm: MiniLMEmbedder) -> None:
    assert (await minilm.embed([])).shape == (0, 384)


async def test_empty_and_endless_texts_are_embedded(minilm: MiniLMEmbedder) -> None:
    vectors = await minilm.embed(["", "x" * 100_000, "word " * 5_000])
    assert np.isfinite(vectors).all()


async def test_questions_from_many_tasks_are_answered(minilm: MiniLMEmbedder) -> None:
    vectors = await asyncio.gather(*(minilm.embed_question(f"question {n}") for n in range(20)))
    assert all(vector.shape == (384,) for vector in vectors)


async def test_first_questions_at_the_same_time_load_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, loaded = load_onnxruntime(), []
    load = runtime.InferenceSession

    def count(*args: Any, **options: Any) -> Any:
        loaded.append(args)
        return load(*args, **options)

    monkeypatch.setattr(runtime, "InferenceSession", count)
    minilm = MiniLMEmbedder()
    await asyncio.gather(*(minilm.embed_question(f"question {n}") for n in range(4)))
    assert len(loaded) == 1


def test_tokens_are_counted_whole_and_without_the_special_ones(minilm: MiniLMEmbedder) -> None:
    assert minilm.count_tokens("hello world") == 2
    assert minilm.count_tokens("") == 0
    assert minilm.count_tokens("word " * (MAX_TOKENS * 3)) == MAX_TOKENS * 3


@given(
    st.lists(
        st.one_of(st.text(max_size=60).map(strip_invisible), st.sampled_from([*WORDS, "co-operate", "[SEP]", "x" * 50]))
    )
)
def test_as_many_tokens_are_counted_as_the_tokenizer_makes_of_the_whole_text(texts: list[str]) -> None:
    text = " ".join(texts)
    assert COUNTING.count_tokens(text) == OnnxEmbedder.count_tokens(COUNTING, text)


async def test_missing_weights_are_said_to_be_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        await MiniLMEmbedder(tmp_path).embed(TEXTS)
    with pytest.raises(Unavailable):
        MiniLMEmbedder(tmp_path).count_tokens("text")


async def test_broken_weights_are_said_to_be_unavailable(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    (tmp_path / "model.int8.onnx").write_bytes(b"not a graph")
    with pytest.raises(Unavailable) as caught:
        await MiniLMEmbedder(tmp_path).embed_question("text")
    assert caught.value.permanent
