"""A source's horizon is held against the day on which a question is asked, not against that of indexing."""

from __future__ import annotations

import dataclasses
from datetime import date
from pathlib import Path

from bot.config.tables import FolderTable
from bot.wiring import open_citewell
from tests.doubles.settings import extractive

QUESTION = "How many days of leave do all staff get a year?"


async def test_a_document_grows_stale_while_it_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "leave.md").write_text(
        "---\nreviewed: 2026-01-10\n---\n# Leave\n\nAll staff get 30 days of leave a year.\n"
    )
    table = FolderTable(kind="folder", name="handbook", path=folder, stale_after=90)
    async with open_citewell(extractive(tmp_path / "data", sources=(table,))) as citewell:
        await citewell.index([folder])
        for day, stale in ((date(2026, 4, 10), False), (date(2026, 4, 11), True)):
            (citation,) = (await dataclasses.replace(citewell, today=lambda day=day: day).answer(QUESTION)).citations
            assert (citation.date, citation.stale) == ("2026-01-10", stale)
