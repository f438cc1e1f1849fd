"""Models that fastembed downloads, and what is said without it.

The package in these tests has the interface of fastembed 0.9.1 (`TextEmbedding`, `TextCrossEncoder`) and nothing of its
own: the real one asks a hub on the internet."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from adapters.models.fastembed_models import FastEmbedEmbedder, FastEmbedReranker
from pipeline.errors import Misconfigured, Unavailable

PACKAGE = """
import numpy as np

class TextEmbedding:
    def __init__(self, model_name="BAAI/bge-small-en-v1.5", cache_dir=None, threads=None, **kwargs):
        if model_name != "org/known":
            raise ValueError(f"Model {model_name} is not supported in TextEmbedding.")

    def embed(self, documents, batch_size=256, parallel=None, **kwargs):
        for text in documents:
            yield np.array([3.0, 4.0 * len(text)], dtype=np.float64)

    def passage_embed(self, texts, **kwargs):
        yield from self.embed(texts, **kwargs)

    def query_embed(self, query, **kwargs):
        yield from self.embed([query] if isinstance(query, str) else query, **kwargs)
"""
RERANK = """
class TextCrossEncoder:
    def __init__(self, model_name, cache_dir=None, threads=None, **kwargs):
        if model_name != "org/known":
            raise ValueError(f"Model {model_name} is not supported in TextCrossEncoder.")

    def rerank(self, query, documents, batch_size=64, **kwargs):
        for text in documents:
            yield float(len(set(query.split()) & set(text.split())))
"""


@pytest.fixture
def fastembed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "fastembed"
    (package / "rerank" / "cross_encoder").mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE)
    (package / "rerank" / "__init__.py").touch()
    (package / "rerank" / "cross_encoder" / "__init__.py").write_text(RERANK)
    names = ("fastembed", "fastembed.rerank", "fastembed.rerank.cross_encoder")
    there = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(there)


@pytest.mark.skipif(importlib.util.find_spec("fastembed") is not None, reason="fastembed is installed")
@pytest.mark.parametrize("kind", [FastEmbedEmbedder, FastEmbedReranker])
def test_without_the_package_it_is_said_how_to_install_it(kind: type[FastEmbedEmbedder | FastEmbedReranker]) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_X: fastembed:org/known needs the package") as caught:
        kind("org/known", "CITEWELL_X")
    assert caught.value.what_to_do == "Install it: pip install 'citewell[fastembed]'"


@pytest.mark.usefixtures("fastembed")
async def test_texts_and_questions_have_vectors_of_unit_length() -> None:
    embedder = FastEmbedEmbedder("org/known", "CITEWELL_EMBEDDER")
    assert (await embedder.embed([])).shape == (0, 0)
    vectors = await embedder.embed(["a", "bcd"])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8], np.array([3, 12]) / np.hypot(3, 12)])
    assert np.array_equal(await embedder.embed_question("a"), vectors[0])
    assert (embedder.name, embedder.dimensions) == ("fastembed:org/known", 2)


@pytest.mark.usefixtures("fastembed")
async def test_passages_are_scored_in_their_order_for_everybody_who_asks() -> None:
    reranker = FastEmbedReranker("org/known", "CITEWELL_RERANKER")
    asked = [reranker.score("when does it open", ["it is closed", "when it does open", ""]) for _ in range(5)]
    assert await asyncio.gather(*asked) == [[1.0, 4.0, 0.0]] * 5


@pytest.mark.usefixtures("fastembed")
async def test_a_model_that_fastembed_does_not_know_is_said_to_be_unavailable() -> None:
    with pytest.raises(Unavailable, match="fastembed:org/other: could not be loaded"):
        await FastEmbedEmbedder("org/other", "CITEWELL_EMBEDDER").embed_question("a")
    with pytest.raises(Unavailable, match="fastembed:org/other: could not be loaded"):
        await FastEmbedReranker("org/other", "CITEWELL_RERANKER").score("a", ["b"])
