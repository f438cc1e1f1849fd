"""Models that fastembed knows by name and downloads, for operators who ask for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, TypeVar

import numpy as np

from adapters.models.onnx.model import load_onnxruntime, raise_unavailable
from adapters.models.vectors import normalize_vectors
from pipeline.errors import Misconfigured, Unavailable
from pipeline.ports import Vectors

R = TypeVar("R")

_QUESTION_SECONDS = 3.0
"""Seconds that a question waits: after this, lexical search alone answers, as long as a model is being downloaded."""
_BATCH_SIZE = 1
"""Texts in a batch: a text's neighbours must make no difference, and a cancelled call must end soon."""


class FastEmbedEmbedder:
    """An `Embedder`. A model is known by its name alone: a change of its weights by its maker goes unnoticed. The
    dimensions are 0 until the first run."""

    def __init__(self, model: str, setting: str) -> None:
        """Raise Misconfigured, naming `setting`, without the package."""
        self.name = f"fastembed:{model}"
        self.dimensions = 0
        self._model = _Model(self.name, setting, lambda: _embedding(model))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return self._to_vectors(
            await self._model.use(lambda model: list(model.passage_embed(texts, batch_size=_BATCH_SIZE)))
        )

    async def embed_question(self, text: str) -> Vectors:
        """See `Embedder`."""
        try:
            async with asyncio.timeout(_QUESTION_SECONDS):
                vectors = await self._model.use(lambda model: list(model.query_embed(text)), is_question=True)
        except TimeoutError as error:
            raise Unavailable(self.name, "was not loaded in time") from error
        vector: Vectors = self._to_vectors(vectors)[0]
        return vector

    def _to_vectors(self, rows: Sequence[Vectors]) -> Vectors:
        vectors = normalize_vectors(self.name, np.stack(rows).astype(np.float32))
        self.dimensions = vectors.shape[1]
        return vectors


class FastEmbedReranker:
    """A `Reranker` without a deadline of its own."""

    def __init__(self, model: str, setting: str) -> None:
        """Raise Misconfigured, naming `setting`, without the package."""
        self._model = _Model(f"fastembed:{model}", setting, lambda: _cross_encoder(model))

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`. If cancelled, the passages that were not begun are skipped."""
        given_up = threading.Event()

        def work(model: Any) -> list[float]:
            scores = model.rerank(question, passages, batch_size=_BATCH_SIZE)
            return [float(score) for score in takewhile(lambda _: not given_up.is_set(), scores)]

        try:
            return await self._model.use(work, is_question=True)
        finally:
            given_up.set()


class _Model:
    """The model that `make` returns, made at the first use and used in threads of its own: a download takes minutes."""

    def __init__(self, service: str, setting: str, make: Callable[[], Any]) -> None:
        if find_spec("fastembed") is None:
            raise Misconfigured(
                setting,
                f"{service} needs the package fastembed, which is not installed",
                what_to_do="Install it: pip install 'citewell[fastembed]'",
            )
        self._service = service
        self._make = make
        self._loading = threading.Lock()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="fastembed")
        self._question_threads = ThreadPoolExecutor(1, thread_name_prefix="fastembed-asked")
        """Threads for callers that wait, who would otherwise queue behind everything being indexed."""

    async def use(self, work: Callable[[Any], R], *, is_question: bool = False) -> R:
        """Run `work` with the model. Raises Unavailable."""
        threads = self._question_threads if is_question else self._threads
        return await asyncio.get_running_loop().run_in_executor(threads, self._run, work)

    def _run(self, call: Callable[[Any], R]) -> R:
        with (
            raise_unavailable(
                self._service, "could not be loaded: fastembed does not know it, or it cannot be downloaded"
            ),
            self._loading,
        ):
            model = self._loaded
        with raise_unavailable(self._service, "could not be run"):
            return call(model)

    @cached_property
    def _loaded(self) -> Any:
        load_onnxruntime()
        return self._make()


def _embedding(model: str) -> Any:
    from fastembed import TextEmbedding

    return TextEmbedding(model)


def _cross_encoder(model: str) -> Any:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder(model)
