"""Embeddings from OpenAI, or from any server that speaks its embeddings API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import numpy as np

from adapters.models.client import openai_client
from adapters.models.masking import PlaceholderMap, is_external_server
from adapters.models.responses import json_body
from adapters.models.sdk_errors import translate_sdk_errors
from adapters.models.vectors import normalize_vectors
from pipeline.errors import CitewellError, Unavailable
from pipeline.ports import Vectors
from pipeline.screen.sensitive_data import SensitiveDataFinder

_BATCH = 64
"""Texts a request: 64 of 500 tokens stay well below the 300,000 tokens that OpenAI takes at once."""
_MAX_WAIT = 20.0
"""Seconds: a service that asks for a longer wait is not asked again."""
_QUESTION_SECONDS = 3.0
"""Seconds that a question waits: after this, lexical search alone answers."""


class OpenAIEmbedder:
    """An `Embedder`. `name` holds the model and its dimensions: vectors of different models are never mixed. The
    dimensions are 0 until they are restored from earlier vectors or learnt from the first reply; a first reply of
    others replaces them, and with them the name. Nothing is connected before the first text is embedded. Batches are
    sent one after the other; one that fails is sent once more, unless the error is permanent. A question is sent once
    and has a deadline of 3 seconds. Numbers are requested as floats, which every compatible server can give. For an
    external server the sensitive data that `find` finds is replaced by its kind."""

    def __init__(
        self,
        model: str,
        *,
        key: str,
        base_url: str | None = None,
        timeout: float = 30.0,
        find: SensitiveDataFinder | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._model = model
        self._service = f"openai:{model}"
        self._find = find if is_external_server(base_url) else None
        self._learnt = False
        self._set_dimensions(0)
        self._sleep = sleep
        self._client = openai_client(self._service, key=key, base_url=base_url, timeout=timeout)

    def restore_dimensions(self, names: Iterable[str]) -> None:
        """Take the dimensions from the first of `names` that this model had."""
        for name in names:
            service, _, dimensions = name.rpartition(":")
            if service == self._service and dimensions.isdecimal():
                self._set_dimensions(int(dimensions))
                return

    def _set_dimensions(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.name = f"{self._service}:{dimensions}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Raise Unavailable, also when the reply holds other vectors than were asked for."""
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = [row for batch in batches for row in await self._with_retry(batch)]
        return self._to_vectors(rows)

    async def embed_question(self, text: str) -> Vectors:
        """See `Embedder`. Raise Unavailable as `embed` does, or when the reply does not come at once."""
        vector: Vectors = self._to_vectors(await self._request_with_deadline([text]))[0]
        return vector

    def _to_vectors(self, rows: list[list[float]]) -> Vectors:
        if rows and not self._learnt:
            self._set_dimensions(len(rows[0]))
            self._learnt = True
        if any(len(row) != self.dimensions for row in rows):
            raise Unavailable(self._service, "returned vectors of other dimensions", permanent=True)
        vectors = np.asarray(rows, dtype=np.float32).reshape(len(rows), self.dimensions)
        return normalize_vectors(self._service, vectors)

    async def _request(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the raw vectors of one batch, in order. Raises Unavailable."""
        client = await self._client.get()
        masked = await asyncio.to_thread(self._mask, texts)
        import openai

        try:
            with translate_sdk_errors(openai, self._service, "OPENAI_API_KEY"):
                reply: Any = await client.embeddings.with_raw_response.create(
                    model=self._model, input=masked, encoding_format="float"
                )
            rows = {item["index"]: item["embedding"] for item in json_body(self._service, reply)["data"]}
            return [[float(number) for number in rows[index]] for index in range(len(texts))]
        except Unavailable:
            raise
        except (CitewellError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise Unavailable(self._service, "answered with something other than vectors", permanent=True) from error

    def _mask(self, texts: Sequence[str]) -> list[str]:
        """Return the texts to send. Each has its own placeholders, so that its vector depends on nothing else."""
        find = self._find
        return [(PlaceholderMap(find).hide(text) if find else text) or " " for text in texts]

    async def close(self) -> None:
        await self._client.close()

    async def _request_with_deadline(self, texts: Sequence[str]) -> list[list[float]]:
        await self._client.get()
        try:
            async with asyncio.timeout(_QUESTION_SECONDS):
                return await self._request(texts)
        except TimeoutError as error:
            raise Unavailable(self._service, "did not answer in time") from error

    async def _with_retry(self, batch: Sequence[str]) -> list[list[float]]:
        try:
            return await self._request(batch)
        except Unavailable as error:
            wait = 0.5 if error.retry_after is None else error.retry_after
            if error.permanent or wait > _MAX_WAIT:
                raise
            await self._sleep(wait)
            return await self._request(batch)
