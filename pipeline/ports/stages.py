"""Stages of the walk that there is more than one of."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from pipeline.translations import ENGLISH, Words
from pipeline.values import (
    Audience,
    Brief,
    Conversation,
    Finished,
    Found,
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


Look = Callable[[str], Awaitable[Sequence[RetrievedChunk]]]
"""Searches for a text, within the asker's audience. Raises Unavailable."""


class Writer(Protocol):
    def write(
        self,
        brief: Brief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        look: Look | None = None,
    ) -> AsyncGenerator[Sentence | Found | Finished, None]:
        """Draft an answer sentence by sentence, then one Finished. What was found with `look` comes before what rests
        on it. Raises Unavailable or Unusable."""
        ...

    async def rewrite(
        self,
        brief: Brief,
        passages: Sequence[RetrievedChunk],
        history: Sequence[Turn],
        draft: Sequence[Sentence],
        refused: Mapping[int, str],
    ) -> tuple[Mapping[int, Sentence], int]:
        """Write the sentences of `draft` again that are `refused`, by their number, and why; with the tokens it cost.
        Those that are to be left out are. Never raises."""
        ...
