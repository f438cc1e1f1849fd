"""A whole Citewell over a few real documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.settings import Settings
from bot.wiring import open_citewell

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


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, data=tmp_path / "data", model="extractive")  # type: ignore[call-arg]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE)
    (folder / "expenses.md").write_text(EXPENSES)
    return folder


@pytest.fixture
async def citewell(settings: Settings, documents: Path) -> AsyncIterator[Citewell]:
    async with open_citewell(settings) as opened:
        await opened.index([documents])
        yield opened
