"""What is opened where the settings ask for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.config.settings import Settings
from bot.run.operations.open import open_operations
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured
from tests.doubles.settings import extractive


def settings(folder: Path, **more: object) -> Settings:
    return extractive(folder / "data", embedder="none", **more)


async def test_answers_are_not_watched_where_nobody_asks_for_it(tmp_path: Path) -> None:
    async with open_citewell(settings(tmp_path)) as citewell, open_operations(citewell, ["slack"]) as operations:
        assert operations.answering is citewell.responder


async def test_traces_without_their_packages_say_how_to_install_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bot.run.operations.traces", None)
    async with open_citewell(settings(tmp_path, traces="http://127.0.0.1:4317")) as citewell:
        with pytest.raises(Misconfigured, match="CITEWELL_TRACES") as caught:
            async with open_operations(citewell, ["slack"]):
                pass
    assert "citewell[traces]" in caught.value.what_to_do
