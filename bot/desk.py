"""What buttons and commands ask for after the answer. Each question is answered for who asks, and in doubt not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pipeline.access import Rule, audience
from pipeline.ports import Passages
from pipeline.values import Answer, Audience, Document, Preferences, Rating, Readers


class Records(Protocol):
    """Where answers, ratings and preferences are kept."""

    async def answer(self, answer_id: str) -> Answer | None: ...
    async def rate(self, rating: Rating) -> None: ...
    async def preferences(self, person: str) -> Preferences: ...
    async def prefer(self, person: str, preferences: Preferences) -> None: ...
    async def export(self, person: str) -> str: ...
    async def forget(self, person: str) -> int: ...
