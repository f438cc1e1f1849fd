"""A reranker on a server that speaks the API of Cohere and Jina: `POST /rerank`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from adapters.fetch.responses import parse_retry_after
from adapters.models.client import LazyClient
from adapters.models.masking import PlaceholderMap, is_external_server
from adapters.models.transport import plain_client
from pipeline.errors import Misconfigured, Unavailable
from pipeline.screen.sensitive_data import SensitiveDataFinder

if TYPE_CHECKING:
    import httpx2

DEFAULT_URLS: Mapping[str, str] = MappingProxyType(
    {"cohere": "https://api.cohere.com/v2/rerank", "jina": "https://api.jina.ai/v1/rerank"}
)
_REMEDIES = {
    401: "Check CITEWELL_RERANKER_KEY: the service does not accept it.",
    403: "Check what CITEWELL_RERANKER_KEY may use: the service refused it.",
    404: "Check CITEWELL_RERANKER and CITEWELL_RERANKER_URL: the service does not know this model or path.",
}
_UNREACHABLE_REMEDY = "Check the network, and that a server answers at CITEWELL_RERANKER_URL."


class ServerReranker:
    """A `Reranker` without a deadline of its own, in one request. Nothing is connected before. The question and the
    passages go only to the server of the settings; for an external one, the sensitive data that `find` finds is
    masked."""

    def __init__(
        self, spec: str, *, url: str = "", key: str = "", timeout: float = 30.0, find: SensitiveDataFinder | None = None
    ) -> None:
        """`spec` is `cohere:MODEL` or `jina:MODEL`; `url` is the address of another server, which may need no key.
        Raises Misconfigured."""
        provider, _, self._model = spec.partition(":")
        if not key and not url:
            raise Misconfigured(
                "CITEWELL_RERANKER_KEY",
                f"is not set, and CITEWELL_RERANKER={spec} needs it",
                what_to_do="Set it, or CITEWELL_RERANKER_URL to a server of your own.",
            )
        self._service = spec
        self._url = url or DEFAULT_URLS[provider]
        self._find = find if is_external_server(self._url) else None
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = LazyClient(spec, lambda: _Client(plain_client(spec, timeout, headers)))

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        client = await self._client.get()
        import httpx2

        query, *documents = await asyncio.to_thread(self._mask, [question, *passages])
        body = {"model": self._model, "query": query, "documents": documents}
        try:
            response = await client.http.post(self._url, json=body)
        except httpx2.TimeoutException as error:
            raise Unavailable(self._service, "did not answer in time", what_to_do=_UNREACHABLE_REMEDY) from error
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            raise Unavailable(self._service, "the connection failed", what_to_do=_UNREACHABLE_REMEDY) from error
        if not response.is_success:
            raise self._to_error(response)
        try:
            return _parse_scores(json.loads(response.content), len(passages))
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise Unavailable(self._service, "answered with something other than a score for each passage") from error

    async def close(self) -> None:
        await self._client.close()

    def _mask(self, texts: list[str]) -> list[str]:
        if not self._find:
            return texts
        mask = PlaceholderMap(self._find)
        return [mask.hide(text) for text in texts]

    def _to_error(self, response: httpx2.Response) -> Unavailable:
        status = response.status_code
        return Unavailable(
            self._service,
            f"status {status}",
            retry_after=parse_retry_after(response.headers.get("retry-after")),
            permanent=status in _REMEDIES,
            what_to_do=_REMEDIES.get(status, ""),
        )


def _parse_scores(reply: Any, count: int) -> list[float]:
    scores = {result["index"]: float(result["relevance_score"]) for result in reply["results"]}
    if len(reply["results"]) != count:
        raise ValueError("another number of results than of passages")
    return [scores[index] for index in range(count)]


class _Client:
    """An httpx client with the `close` that all model clients have."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    async def close(self) -> None:
        await self.http.aclose()
