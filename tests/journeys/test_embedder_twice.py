"""Indexing a folder twice leaves the same passages with the same vectors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from bot.wiring import open_citewell
from tests.doubles.settings import extractive

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
DOCUMENTS = [
    HANDBOOK / name for name in ("vacation.md", "office.md", "aqualine-3.md", "expenses.html", "sick-leave.txt")
]
PASSAGES = "SELECT chunk.body, hex(matrix) FROM chunk LEFT JOIN unit_vectors USING (number) ORDER BY 1, 2"


async def indexed(data: Path, *runs: list[Path]) -> list[tuple[str, str]]:
    settings = extractive(data)
    async with open_citewell(settings) as citewell:
        for paths in runs:
            assert not (await citewell.index(paths)).failed
        return await citewell.storage.database.read(passages)


def passages(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute(PASSAGES).fetchall()


async def test_documents_have_the_same_vectors_together_and_one_by_one_in_another_order(tmp_path: Path) -> None:
    together = await indexed(tmp_path / "together", DOCUMENTS)
    assert len(together) > len(DOCUMENTS)
    assert all(vectors for _, vectors in together)
    assert await indexed(tmp_path / "again", DOCUMENTS) == together
    assert await indexed(tmp_path / "apart", *([path] for path in reversed(DOCUMENTS))) == together
