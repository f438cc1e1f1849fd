"""Settings that nothing around a test decides."""

from __future__ import annotations

from pathlib import Path

from bot.config.settings import Settings


def extractive(data: Path, **more: object) -> Settings:
    """Those of a bot that asks no language model, whatever `.env` says."""
    return Settings(_env_file=None, data=data, model="extractive", **more)  # type: ignore[arg-type, call-arg]
