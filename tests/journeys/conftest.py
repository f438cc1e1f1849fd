"""A whole Citewell over a few real documents."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from adapters.models.minilm.embedder import MiniLMEmbedder
from adapters.models.onnx.model import OnnxModel
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.wiring import open_citewell
from storage.postgres.connection import PostgresConnection, PostgresTransactions
from storage.sqlite.connection import SQLiteConnection, SQLiteTransactions
from tests.doubles.settings import extractive

LEAVE = """\
# Leave policy

## Vacation

Employees get 25 vacation days a year. Contractors get no paid vacation days.
Unused days expire on 31 March of the following year.

## Sick leave

Report sick leave to your team lead before 10:00 on the first day.
"""
EXPENSES = """\
# Expenses

## How to claim

1. Open the expense form in the intranet.
2. Attach the receipt as a PDF.
3. Send it to your team lead for approval.

## Limits

| Item | Limit per day |
| --- | --- |
| Hotel | 140 euros |
| Meals | 45 euros |
"""


@pytest.fixture(scope="session")
def model() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(autouse=True)
def loaded_once(model: MiniLMEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Citewell that a test opens embeds with the same graph and tokenizers; texts are remembered by each alone."""
    monkeypatch.setattr("adapters.models.minilm.embedder.OnnxModel", lambda *_, **__: model._graph)


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Each command that is typed makes all of them, which takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`documents` and the data folder that has them, once for all tests: each gets a copy."""
    folder = tmp_path_factory.mktemp("original")
    documents = folder / "documents"
    documents.mkdir()
    (documents / "leave.md").write_text(LEAVE)
    (documents / "expenses.md").write_text(EXPENSES)
    shutil.copytree(documents, folder / "unchanged")
    asyncio.run(_index(folder / "data", documents))
    return folder


async def _index(data: Path, documents: Path) -> None:
    async with open_citewell(extractive(data)) as citewell:
        assert not (await citewell.index([documents])).failed


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return extractive(tmp_path / "data")


@pytest.fixture
def documents(original: Path) -> Path:
    """As they were, and where they were: the library knows files by their paths."""
    shutil.rmtree(original / "documents")
    return shutil.copytree(original / "unchanged", original / "documents")


@pytest.fixture
def indexed_data(original: Path, tmp_path: Path, documents: Path) -> Path:
    """A data folder of the test's own, with `documents` in it."""
    return shutil.copytree(original / "data", tmp_path / "data")


@pytest.fixture
async def citewell(settings: Settings, indexed_data: Path) -> AsyncIterator[Citewell]:
    async with open_citewell(settings) as opened:
        yield opened


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What was done since it was cleared."""
    counted: Counter[str] = Counter()

    def counting(what: str, kind: type[Any], name: str, many: Callable[..., int] = lambda *_: 1) -> None:
        before = getattr(kind, name)

        def count(self: Any, *given: Any, **named: Any) -> Any:
            counted[what] += many(*given)
            return before(self, *given, **named)

        monkeypatch.setattr(kind, name, count)

    for connection in (SQLiteConnection, PostgresConnection):
        counting("statements", connection, "execute")
        counting("statements", connection, "executemany")
    for transactions in (SQLiteTransactions, PostgresTransactions):
        counting("commits", transactions, "begin")
    counting("vectors", OnnxModel, "run", len)
    return counted
