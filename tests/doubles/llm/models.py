"""A model as the settings make it, over the loopback server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.models.factory import make_model
from pipeline.ports import LanguageModel
from tests.doubles.llm.faults import Act
from tests.doubles.llm.server import LlmServer

KEY = "sk-secret-0123456789"


@asynccontextmanager
async def models(provider: str, *acts: Act) -> AsyncIterator[tuple[LanguageModel, LlmServer]]:
    """A model of `provider` and the server that meets its requests with `acts`, one after the other."""
    async with LlmServer(acts, key=KEY).running() as server:
        model = make_model(
            f"{provider}:m",
            openai_key=KEY,
            anthropic_key=KEY,
            openai_base_url=f"{server.url}/v1",
            anthropic_base_url=server.url,
        )
        try:
            yield model, server
        finally:
            await model.close()
