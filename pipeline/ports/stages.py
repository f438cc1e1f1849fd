"""Stages of the walk that there is more than one of."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from pipeline.translations import ENGLISH, Words
from pipeline.values import (
    Audience,
    Brief,
    Conversation,
    Finished,
    Plan,
    Retrieval,
    RetrievedChunk,
    Search,
    Sentence,
    Turn,
)


class Planner(Protocol):
    async def plan(self, text: str, conversation: Conversation, audience: Audience, words: Words = ENGLISH) -> Plan:
        """`words` say what is said without a search."""
        ...


class Retriever(Protocol):
    async def retrieve(self, search: Search, audience: Audience) -> Retrieval: ...


class Writer(Protocol):
    def write(
        self, brief: Brief, passages: Sequence[RetrievedChunk], history: Sequence[Turn]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """Draft an answer sentence by sentence, then one Finished. Raises Unavailable or Unusable."""
        ...
