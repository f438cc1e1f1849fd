"""The embedder that comes with Citewell: MiniLM-L6 weights as an int8 ONNX graph, run by onnxruntime."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import Unavailable
from pipeline.ports import Vectors

FOLDER = Path(__file__).parent
MODEL_SHA256 = "e911017e4f3268bff09a3a004ea0413f56283f35481295609462b146e0922749"
MAX_TOKENS = 256
"""What the model was trained with; the rest of a longer text is not seen."""
REMEMBERED = 256
"""Questions whose vectors are kept."""


ERRORS = 3
"""From this level on onnxruntime writes to standard error, past every log."""


class MiniLM:
    """`Embedder` and `Tokenizer` of all-MiniLM-L6-v2: 384 dimensions, unit length.

    A text has one vector: each is run by itself, so that what it is embedded with makes no difference, and between
    processors the cosine is at least .9999.

    Nothing is loaded before the first call. Every method raises Unavailable when the files are missing or
    onnxruntime cannot run them, so that lexical search alone can answer.
    """

    name = "minilm-l6-w8a14-headed"
    """With what its vectors were made from: `pipeline/ingest/unit_texts.py`."""
    dimensions = 384

    def __init__(self, folder: Path = FOLDER, *, threads: int | None = None) -> None:
        self._folder = folder
        self._threads = threads or min(os.cpu_count() or 1, 4)
        self._remembered: OrderedDict[str, Vectors] = OrderedDict()
        self._loading = threading.Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 384), in order. Raises Unavailable."""
        return await asyncio.to_thread(self._run, list(texts))

    async def embed_question(self, text: str) -> Vectors:
        """Shape (384,); the same vector as `embed` gives, and read-only. Raises Unavailable."""
        if text in self._remembered:
            self._remembered.move_to_end(text)
            return self._remembered[text]
        vector: Vectors = (await asyncio.to_thread(self._run, [text]))[0]
        vector.flags.writeable = False
        self._remembered[text] = vector
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return vector

    def count(self, text: str) -> int:
        """Tokens of `text` without the two special ones. Raises Unavailable."""
        with self._loading:
            tokenizer = self._whole_tokenizer
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    def _run(self, texts: list[str]) -> Vectors:
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        with self._loading:
            tokenizer, session, pool = self._tokenizer, self._session, self._pool
        encoded = tokenizer.encode_batch_fast(texts)

        def run(row: int) -> None:
            vectors[row] = session.run(None, {"input_ids": np.array([encoded[row].ids], np.int64)})[0]

        with _able("the graph could not be run"):
            if len(texts) == 1:
                run(0)
            else:
                list(pool.map(run, range(len(texts))))
        return vectors

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="minilm")

    @cached_property
    def _session(self) -> Any:
        """One thread a run: runs in parallel use the cores better than threads inside one run."""
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read once, when it loads; SECURITY.md
        with _able("the model could not be loaded", permanent=True):
            import onnxruntime

            onnxruntime.set_default_logger_severity(ERRORS)
            options = onnxruntime.SessionOptions()
            options.log_severity_level = ERRORS
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            return onnxruntime.InferenceSession(
                str(self._folder / "model.int8.onnx"), options, providers=["CPUExecutionProvider"]
            )

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._load_tokenizer()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    @cached_property
    def _whole_tokenizer(self) -> Any:
        tokenizer = self._load_tokenizer()
        tokenizer.no_truncation()
        return tokenizer

    def _load_tokenizer(self) -> Any:
        with _able("the tokenizer could not be loaded", permanent=True):
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        return tokenizer


@contextmanager
def _able(otherwise: str, *, permanent: bool = False) -> Iterator[None]:
    """Raises Unavailable, whatever a library stumbles over: tokenizers raises plain Exceptions."""
    try:
        yield
    except Exception as error:
        raise Unavailable("embedder", otherwise, permanent=permanent) from error
