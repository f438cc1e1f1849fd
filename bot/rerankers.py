"""What puts the passages that were found in order, as the settings ask; nothing is needed for that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.settings import Settings, environment_name, secret
from bot.masking import finder

if TYPE_CHECKING:
    from pipeline.ports import Reranker

SETTING = environment_name("reranker")


@asynccontextmanager
async def open_reranker(settings: Settings, *, seconds: float | None = None) -> AsyncIterator[Reranker | None]:
    """The reranker that was asked for, which gives up after `seconds`, or when no question should wait any longer; None
    where none is set. Nothing is loaded or connected yet. Raises Misconfigured."""
    if settings.reranker == "none":
        yield None
        return
    from adapters.models.guard import SECONDS, GuardedReranker

    async with AsyncExitStack() as stack:
        reranker = await _named(settings, stack)
        yield GuardedReranker(reranker, f"reranker {settings.reranker}", seconds=seconds or SECONDS)


async def _named(settings: Settings, stack: AsyncExitStack) -> Reranker:
    kind, _, name = settings.reranker.partition(":")
    if kind == "onnx":
        from adapters.models.onnx.reranker import open_onnx_reranker

        return open_onnx_reranker(Path(name), SETTING)
    if kind == "fastembed":
        from adapters.models.fastembedded import FastReranker

        return FastReranker(name, SETTING)
    from adapters.models.rerank_server import ServerReranker

    url, key = settings.reranker_url or "", secret(settings.reranker_key)
    server = ServerReranker(settings.reranker, url=url, key=key, find=finder(settings))
    stack.push_async_callback(server.close)
    return server
