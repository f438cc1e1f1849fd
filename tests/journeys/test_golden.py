"""The golden questions: what a reader gets over the handbook, real documents and four languages, held to a baseline.

`CITEWELL_GOLDEN=write pytest tests/journeys/test_golden.py` rewrites the baseline from what is now.
"""

from __future__ import annotations

import json
import os
import sys
from math import comb
from pathlib import Path
from typing import Any

import pytest

from bot.citewell import Citewell
from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import Answer

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
BASELINE = GOLDEN / "baseline.json"
DOCUMENTS = (ROOT / "examples" / "handbook", GOLDEN / "documents", ROOT / "docs" / "discord.md")
LONGEST = 1.25
"""How much longer than in the baseline the answers may be on average."""

SIGNIFICANT = 0.05
"""Five rows worse and none better fail, four do not: one row may hang on a hair, a share does not."""

Row = dict[str, Any]


def measured(row: Row, answer: Answer) -> dict[str, bool | int]:
    """What is right about an answer; a row that expects nothing of a kind has it right."""
    said = answer.body.lower()
    cited = {citation.filename for citation in answer.citations}
    return {
        "outcome": row["outcome"] in ("", answer.outcome),
        "cited": not row.get("cited") or row["cited"] in cited,
        "facts": all(fact.lower() in said for fact in row.get("must_contain", ())),
        "clean": not any(text.lower() in said for text in row.get("must_not_contain", ())),
        "words": len(answer.body.split()),
    }


async def asked(citewell: Citewell, row: Row) -> Answer:
    thread = f"golden-{row['id']}"
    for question in row.get("history", ()):
        await citewell.answer(question, thread=thread)
    return await citewell.answer(row["question"], thread=thread)


def chance(worse: int, better: int) -> float:
    """How often `worse` of the rows that changed, or more, get worse where as many get better (exact sign test)."""
    changed = worse + better
    return float(sum(comb(changed, count) for count in range(worse, changed + 1)) / 2**changed)


async def test_golden_questions_do_not_get_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Outcomes, cited documents, facts and clean texts, as shares, against the baseline; says what changed."""
    settings = Settings(_env_file=None, data=tmp_path / "data", model="extractive")  # type: ignore[call-arg]
    rows = [json.loads(line) for line in (GOLDEN / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    async with open_citewell(settings) as citewell:
        summary = await citewell.index(DOCUMENTS)
        assert not summary.failed
        found = {row["id"]: measured(row, await asked(citewell, row)) for row in rows}
    if os.environ.get("CITEWELL_GOLDEN") == "write":
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(figures)}" for name, figures in found.items())
        BASELINE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
        pytest.skip("the baseline is written")
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    assert set(baseline) == set(found)
    for kind in ("outcome", "cited", "facts", "clean"):
        worse = [name for name, before in baseline.items() if before[kind] and not found[name][kind]]
        better = [name for name, before in baseline.items() if found[name][kind] and not before[kind]]
        changes = f"{kind}: worse {worse}, better {better}"
        with capsys.disabled():
            sys.stdout.write(f"{changes}\n" if worse or better else "")
        assert chance(len(worse), len(better)) > SIGNIFICANT, changes
    words, before = (sum(figures["words"] for figures in one.values()) for one in (found, baseline))
    assert words <= LONGEST * before
