"""What indexing small documents costs, in counts that no machine changes."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from bot.wiring import open_citewell
from storage.documents import revision
from tests.doubles.settings import extractive

DOCUMENTS = 300
STATEMENTS, COMMITS = 5.2, 0.05
"""For each small document: its row, its passages and their vectors, its words, and the vector of each passage. The
other statements are for all that were embedded together."""


@pytest.mark.slow
async def test_small_documents_share_transactions_and_an_unchanged_one_costs_nothing(
    tmp_path: Path, counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clock ends a batch of documents, so that a slow machine counts more transactions than a fast one.
    monkeypatch.setattr(revision, "BATCH_SECONDS", math.inf)
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.md").write_text(f"# Room {number}\n\nDesk {number} is free.\n", encoding="utf-8")
    async with open_citewell(extractive(tmp_path / "data")) as citewell:
        counts.clear()
        assert (await citewell.index([folder])).added == DOCUMENTS
        assert counts["statements"] <= STATEMENTS * DOCUMENTS
        assert counts["commits"] <= COMMITS * DOCUMENTS

        counts.clear()
        assert (await citewell.index([folder])).unchanged == DOCUMENTS
        assert counts["vectors"] == 0
        assert counts["statements"] <= 20
        assert counts["commits"] <= 3
