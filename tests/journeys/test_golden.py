"""The golden questions: what a reader gets over the handbook, real documents and four languages, held to a baseline.

`CITEWELL_GOLDEN=write pytest tests/journeys/test_golden.py` rewrites the baseline from what is now.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.evaluation.golden import GoldenRow, compare_runs, read_baseline, score_answer, write_baseline
from bot.wiring import open_citewell
from pipeline.values import Answer
from tests.doubles.settings import extractive

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
BASELINE = GOLDEN / "baseline.json"
DOCUMENTS = (ROOT / "examples" / "handbook", GOLDEN / "documents", ROOT / "docs" / "discord.md")
LONGEST = 1.25
"""How much longer than in the baseline the answers may be on average."""


async def asked(citewell: Citewell, row: GoldenRow) -> Answer:
    thread = f"golden-{row['id']}"
    for question in row.get("history", ()):
        await citewell.answer(question, thread=thread)
    return await citewell.answer(row["question"], thread=thread)


async def test_golden_questions_do_not_get_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Outcomes, cited documents, facts and clean texts, as shares, against the baseline; says what changed."""
    settings = extractive(tmp_path / "data", reader="minilm", reader_seconds=60)
    rows = [json.loads(line) for line in (GOLDEN / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    async with open_citewell(settings) as citewell:
        summary = await citewell.index(DOCUMENTS)
        assert not summary.failed
        found = {row["id"]: score_answer(row, await asked(citewell, row)) for row in rows}
    if os.environ.get("CITEWELL_GOLDEN") == "write":
        write_baseline(BASELINE, found)
        pytest.skip("the baseline is written")
    baseline = read_baseline(BASELINE)
    assert set(baseline) == set(found)
    for change in compare_runs(found, baseline):
        said = f"{change.kind}: worse {change.worse}, better {change.better}"
        with capsys.disabled():
            sys.stdout.write(f"{said}\n" if change.worse or change.better else "")
        assert not change.fails, said
    words, before = (sum(figures["words"] for figures in one.values()) for one in (found, baseline))
    assert words <= LONGEST * before
