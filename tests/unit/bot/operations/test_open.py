"""What is opened where the settings ask for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.operations.open import open_operations
from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured


def settings(folder: Path, **more: object) -> Settings:
    return Settings(_env_file=None, data=folder / "data", model="extractive", embedder="none", **more)  # type: ignore[call-arg, arg-type]


async def test_answers_are_not_watched_where_nobody_asks_for_it(tmp_path: Path) -> None:
    async with open_citewell(settings(tmp_path)) as citewell, open_operations(citewell, ["slack"]) as operations:
        assert operations.answering is citewell.responder


async def test_traces_without_their_packages_say_how_to_install_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bot.operations.traces", None)
    async with open_citewell(settings(tmp_path, traces="http://127.0.0.1:4317")) as citewell:
        with pytest.raises(Misconfigured, match="CITEWELL_TRACES") as caught:
            async with open_operations(citewell, ["slack"]):
                pass
    assert "citewell[traces]" in caught.value.what_to_do
