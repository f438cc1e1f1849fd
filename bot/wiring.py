"""Settings become live objects: the composition root, and the Python entry.

    async with open_citewell(read_settings()) as citewell:
        answer = await citewell.answer("How many vacation days do I get?")
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from bot.desk import Desk
from bot.settings import Settings
from pipeline.access import Rule, audience
from pipeline.drafting import Limits
from pipeline.ports import Embedder, PlatformAdapter, Writer
from pipeline.respond import Options, Planner, Request, Responder, Retriever
from pipeline.values import (
    Answer,
    Audience,
    CitationStyle,
    ConversationId,
    Event,
    Format,
    IncomingMessage,
    Readers,
    Style,
)
from storage.open import Storage, open_storage

LOCAL = "console:local"
"""The person who asks in the terminal."""

log = structlog.get_logger(__name__)


def console_conversation(thread: str) -> ConversationId:
    """The conversation of a named thread in the terminal."""
    return ConversationId(platform="console", space="local", channel="terminal", thread=thread)


@dataclass(frozen=True)
class Citewell:
    """Everything that lives while Citewell is open."""

    settings: Settings
    storage: Storage
    embedder: Embedder | None
    planner: Planner
    retriever: Retriever
    extractive: Writer
    model: Writer | None
    rules: dict[str, Rule]
