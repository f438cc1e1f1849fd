"""An embedder from a folder with an ONNX graph: its vectors, and what is said of a folder that is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adapters.models.onnx.embedder import OnnxEmbedder, open_onnx_embedder
from pipeline.errors import Misconfigured, Unavailable
from pipeline.ports import Vectors
from tests.doubles.graphs import DIMENSIONS, TABLE, WORDS, model_folder, pooled_graph, tokens_graph

SETTING = "CITEWELL_EMBEDDER"
TEXT = "The office opens at nine"


def rows(text: str) -> Vectors:
    """The vectors of its tokens, special ones included."""
    vectors: Vectors = TABLE[[WORDS.index(word) for word in ("[CLS]", *text.lower().split(), "[SEP]")]]
    return vectors


def unit(vector: Vectors) -> Vectors:
    direction: Vectors = vector / np.linalg.norm(vector)
    return direction


def opened(folder: Path, weights: bytes | None = None, **manifest: object) -> OnnxEmbedder:
    return open_onnx_embedder(model_folder(folder, weights or tokens_graph(), **manifest), SETTING)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", lambda tokens: tokens.mean(axis=0)),
        ("cls", lambda tokens: tokens[0]),
        ("last", lambda tokens: tokens[-1]),
    ],
)
async def test_a_text_has_the_unit_vector_that_its_manifest_asks_for(
    tmp_path: Path, pooling: str, expected: Callable[[Vectors], Vectors]
) -> None:
    embedder = opened(tmp_path, pooling=pooling)
    (vector,) = await embedder.embed([TEXT])
    assert vector.dtype == np.float32
    assert np.allclose(vector, unit(expected(rows(TEXT))), atol=1e-6)


async def test_a_graph_that_gives_one_vector_a_text_needs_no_pooling(tmp_path: Path) -> None:
    embedder = opened(tmp_path, pooled_graph())
    assert np.allclose((await embedder.embed([TEXT]))[0], unit(rows(TEXT).mean(axis=0)), atol=1e-6)


async def test_vectors_that_are_of_unit_length_are_taken_as_they_are(tmp_path: Path) -> None:
    length = float(np.linalg.norm(rows(TEXT).mean(axis=0)))
    graph = pooled_graph(times=1 / length)
    (vector,) = await opened(tmp_path, graph, normalise=False).embed([TEXT])
    assert np.allclose(vector, unit(rows(TEXT).mean(axis=0)), atol=1e-6)


async def test_questions_and_passages_are_embedded_each_behind_its_prefix(tmp_path: Path) -> None:
    embedder = opened(tmp_path, pooling="mean", question_prefix="query : ", passage_prefix="passage : ")
    question = await embedder.embed_question(TEXT)
    (passage,) = await embedder.embed([TEXT])
    assert np.allclose(question, unit(rows(f"query : {TEXT}").mean(axis=0)), atol=1e-6)
    assert np.allclose(passage, unit(rows(f"passage : {TEXT}").mean(axis=0)), atol=1e-6)


async def test_a_text_has_one_vector_alone_and_in_any_batch(tmp_path: Path) -> None:
    embedder = opened(tmp_path, pooling="mean")
    texts = [" ".join(WORDS[3 : 4 + number]) for number in range(12)]
    alone = np.concatenate([await embedder.embed([text]) for text in texts])
    assert np.array_equal(await embedder.embed(texts), alone)
    assert np.array_equal(await asyncio.gather(*map(embedder.embed_question, texts)), alone)


async def test_what_is_beyond_the_length_of_the_model_is_not_seen(tmp_path: Path) -> None:
    embedder = opened(tmp_path, pooling="mean", max_length=16)
    long, cut = await embedder.embed(["office " * 14 + "pump " * 50, "office " * 14])
    assert np.array_equal(long, cut)
    assert embedder.count_tokens("office " * 40) == 40


async def test_the_dimensions_are_learnt_from_the_first_run(tmp_path: Path) -> None:
    embedder = opened(tmp_path, pooling="mean")
    assert embedder.dimensions == 0
    assert (await embedder.embed([])).shape == (0, 0)
    await embedder.embed_question(TEXT)
    assert embedder.dimensions == DIMENSIONS
    assert (await embedder.embed([])).shape == (0, DIMENSIONS)


def test_the_name_differs_wherever_the_vectors_may(tmp_path: Path) -> None:
    kinds = [{"pooling": "mean"}, {"pooling": "cls"}, {"pooling": "mean", "passage_prefix": "passage : "}]
    names = [opened(tmp_path / str(number), None, **kind).name for number, kind in enumerate(kinds)]
    others = opened(tmp_path / "weights", tokens_graph(times=2), pooling="mean").name
    assert len({*names, others}) == 4
    assert opened(tmp_path / "elsewhere", pooling="mean").name == names[0]


@pytest.mark.parametrize("changed", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_is_not_the_one_of_the_manifest_is_not_run(tmp_path: Path, changed: str) -> None:
    embedder = opened(tmp_path, pooling="mean")
    with (tmp_path / changed).open("ab") as file:
        file.write(b" ")
    with pytest.raises(Unavailable, match=f"{changed} is not the file") as caught:
        await embedder.embed([TEXT])
    assert caught.value.permanent
    assert "SHA-256" in caught.value.what_to_do


@pytest.mark.parametrize(
    ("weights", "manifest", "said"),
    [
        (b"not a graph", {"pooling": "mean"}, "could not be loaded"),
        (tokens_graph(inputs="input_ids position_ids"), {"pooling": "mean"}, "asks for position_ids"),
        (tokens_graph(), {}, "a vector for each token: set pooling in its manifest"),
        (pooled_graph(), {"pooling": "mean"}, "one vector a text: leave pooling out in its manifest"),
        (pooled_graph(times=3), {"normalise": False}, "set normalise to true"),
        (tokens_graph(times=float("inf")), {"pooling": "cls"}, "not finite"),
    ],
)
async def test_a_graph_that_does_not_fit_is_said_to_be_unavailable(
    tmp_path: Path, weights: bytes, manifest: dict[str, object], said: str
) -> None:
    with pytest.raises(Unavailable, match=said):
        await opened(tmp_path, weights, **manifest).embed([TEXT, "the pump"])


def _without_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _no_json(folder: Path) -> None:
    (folder / "manifest.json").write_text("pooling: mean")


def _without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def _changed(**manifest: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | manifest))

    return change


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_without_manifest, "manifest.json cannot be read"),
        (_no_json, "manifest.json is wrong"),
        (_without_tokenizer, "tokenizer.json is missing"),
        (_changed(pooling="max"), "pooling"),
        (_changed(prefix="query"), "prefix"),
        (_changed(files={"model.onnx": "0" * 64}), "files must name one .onnx and tokenizer.json"),
        (_changed(files={"model.onnx": "abc", "tokenizer.json": "0" * 64}), "files.model.onnx"),
    ],
)
def test_a_folder_that_is_wrong_is_told_at_the_start(tmp_path: Path, spoil: Callable[[Path], None], said: str) -> None:
    spoil(model_folder(tmp_path, tokens_graph(), pooling="mean"))
    with pytest.raises(Misconfigured, match=SETTING) as caught:
        open_onnx_embedder(tmp_path, SETTING)
    assert said in str(caught.value)
    assert "manifest.json" in caught.value.what_to_do
