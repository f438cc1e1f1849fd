"""An operator's regression test: shares decide, one row never does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from bot.commands.app import app
from bot.evaluation.golden import CRITERIA, compare_runs, read_baseline, wilson_interval, write_baseline
from bot.wiring import open_citewell
from pipeline.errors import Refused
from pipeline.values import Rating, Vote
from storage.open import open_storage
from tests.doubles.samples import answer, message
from tests.doubles.settings import extractive

FACTS = {"badge": "at the front desk", "parking": "behind the house", "payday": "on the 25th", "keys": "in the safe"}


def run_of(right: dict[str, bool]) -> dict[str, dict[str, Any]]:
    return {name: {**dict.fromkeys(CRITERIA, True), "facts": fine, "words": 5} for name, fine in right.items()}


def test_one_row_never_fails_and_a_share_does() -> None:
    before = run_of({str(row): True for row in range(20)})

    def fails(worse: int) -> bool:
        now = run_of({str(row): row >= worse for row in range(20)})
        return any(change.fails for change in compare_runs(now, before))

    assert [fails(worse) for worse in range(7)] == [False, False, False, False, False, True, True]


def test_rows_that_got_better_weigh_against_those_that_got_worse() -> None:
    before = run_of({str(row): row < 10 for row in range(20)})
    now = run_of({str(row): row >= 10 for row in range(20)})
    assert not any(change.fails for change in compare_runs(now, before))


def test_rows_of_one_run_alone_are_left_out() -> None:
    found = compare_runs(run_of({"a": True, "new": False}), run_of({"a": True, "gone": True}))
    assert {change.rows for change in found} == {1}


@given(st.integers(1, 500).flatmap(lambda rows: st.tuples(st.integers(0, rows), st.just(rows))))
def test_the_interval_holds_the_share(given: tuple[int, int]) -> None:
    right, rows = given
    low, high = wilson_interval(right, rows)
    assert 0 <= low <= right / rows + 1e-9
    assert right / rows - 1e-9 <= high <= 1


def test_a_baseline_is_read_as_it_was_written_and_nothing_else_is(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    write_baseline(file, run_of({"a": True}))
    assert read_baseline(file) == run_of({"a": True})
    for wrong in ("", "[]", '{"a": {}}', '{"a": 1}'):
        file.write_text(wrong)
        with pytest.raises(Refused, match="no baseline"):
            read_baseline(file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, fact in FACTS.items():
        (documents / f"{name}.md").write_text(f"# The {name}\n\nThe {name} is {fact}.\n")

    async def index() -> None:
        settings = extractive(tmp_path / "data")
        async with open_citewell(settings) as citewell:
            await citewell.index([documents])

    asyncio.run(index())
    return tmp_path


def test_the_command_keeps_a_baseline_and_says_what_got_worse(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CITEWELL_MODEL", "extractive")
    rows = [
        {"id": f"{name}-{number}", "question": f"Where is the {name}?", "documents": [f"{name}.md"], "facts": [fact]}
        for name, fact in FACTS.items()
        for number in range(2)
    ]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["eval", "golden", str(file), "--data", str(folder / "data")]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0
    assert "There is no baseline yet" in first.output
    assert "facts" in first.output
    assert CliRunner().invoke(app, [*command, "--write"]).exit_code == 0
    same = CliRunner().invoke(app, command)
    assert (same.exit_code, "Nothing changed" in same.output) == (0, True)
    file.write_text("".join(json.dumps(row | {"facts": ["on the moon"]}) + "\n" for row in rows[:1]))
    one = CliRunner().invoke(app, command)
    assert (one.exit_code, "within chance" in one.output, rows[0]["id"] in one.output) == (0, True, True)
    file.write_text("".join(json.dumps(row | {"facts": ["on the moon"]}) + "\n" for row in rows))
    all_of_them = CliRunner().invoke(app, command)
    assert (all_of_them.exit_code, "(worse)" in all_of_them.output) == (1, True)


def test_rows_are_collected_once_from_what_everybody_found_helpful(tmp_path: Path) -> None:
    votes = {"good": [Vote.HELPFUL, Vote.HELPFUL], "mixed": [Vote.HELPFUL, Vote.UNHELPFUL], "unrated": []}

    async def rate() -> None:
        async with open_storage(tmp_path / "data", embedder="m") as storage:
            for number, (name, given) in enumerate(votes.items()):
                asked = message(f"{number}.0")
                await storage.inbox.accept(asked)
                await storage.inbox.lease()
                await storage.inbox.save_answer(asked.key, answer(name))
                await storage.inbox.mark_done(asked.key)
                for person, vote in enumerate(given):
                    await storage.feedback.rate(Rating(answer_id=name, person=f"slack:T1:U{person}", vote=vote))

    asyncio.run(rate())
    file = tmp_path / "rows.jsonl"
    for _ in range(2):
        done = CliRunner().invoke(app, ["eval", "collect", str(file), "--data", str(tmp_path / "data")])
        assert done.exit_code == 0
    (row,) = [json.loads(line) for line in file.read_text().splitlines()]
    assert (row["id"], row["question"], row["outcome"]) == ("good", "How many vacation days?", "answered")
    assert "U0" not in file.read_text()
