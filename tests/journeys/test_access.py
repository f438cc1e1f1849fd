"""The operator asks who sees what, and who changed what."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.commands.app import app
from pipeline.values import TAUGHT_SOURCE, Document
from storage.open import open_storage

TOML = """
[collections.hr]
only = ["slack:T1:C2", "slack:T1:U3"]
[collections.press]
public = true
[roles]
admin = ["slack:T1:U3"]
"""


@pytest.fixture(autouse=True)
def _team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three collections of one document each, and rules for two of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_EMBEDDER", "none")
    (tmp_path / "citewell.toml").write_text(TOML)
    for name in ("handbook", "hr", "press"):
        (tmp_path / f"{name}.md").write_text(f"# The {name}\n\nEvery page of the {name} is read.\n")
        run("index", f"{name}.md", "--collection", name)


def run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == status, done.output
    return done.output


def test_a_place_is_told_what_it_sees_and_which_rule_gives_it() -> None:
    said = run("audience", "explain", "--place", "slack:T1:C2").splitlines()
    assert said == [
        "slack:T1:C2, read by everyone there",
        "  handbook  seen    no rule: every member may see it",
        "  hr        seen    only = slack:T1:C2",
        "  press     seen    it is public",
        "While a guest or somebody of another organisation reads along: press",
    ]


def test_another_place_is_told_what_withholds_a_collection() -> None:
    assert "  hr        hidden  only for slack:T1:C2, slack:T1:U3" in run(
        "audience", "explain", "--place", "slack:T1:C9"
    )


def test_what_is_set_for_a_place_is_told_with_where_it_is_set(tmp_path: Path) -> None:
    with (tmp_path / "citewell.toml").open("a") as file:
        file.write('[places."slack:T1"]\nstyle = "bullet"\n[places."slack:T1:C2"]\ncollections = ["hr"]\n')
    said = run("audience", "explain", "--place", "slack:T1:C2").splitlines()
    assert "  handbook  hidden  not among the collections set for slack:T1:C2 (citewell.toml)" in said
    assert "  hr        seen    only = slack:T1:C2" in said
    assert 'style = "bullet"  slack:T1, citewell.toml' in said


def test_a_person_alone_sees_what_they_were_given_by_name() -> None:
    said = run("audience", "explain", "--place", "slack:T1:C9", "--person", "U3")
    assert "  hr        seen    only = slack:T1:U3" in said
    assert "Roles given to U3 by name: admin" in said


@pytest.mark.parametrize("place", ["C2", "slack:C2", "slack:T1:U3", "discord:acme", ""])
def test_what_is_no_place_is_refused_with_what_is(place: str) -> None:
    assert "slack:T0123:C0456" in " ".join(run("audience", "explain", "--place", place, status=2).split())


def test_what_the_operator_changed_and_looked_at_is_in_the_audit_without_any_text() -> None:
    run("documents", "remove", "hr.md")
    run("history", "export", "slack:T1:U3")
    rows = json.loads(run("audit", "--json"))
    assert [(row["action"], row["subject"]) for row in rows] == [
        ("read what is kept about a person", "slack:T1:U3"),
        ("remove documents", "hr"),
        *[("index documents", name) for name in ("press", "hr", "handbook")],
    ]
    assert {row["actor"] for row in rows} == {"console:local"}


def test_replies_that_were_kept_are_listed_once_they_are_to_be_reviewed() -> None:
    assert "due for review" in run("documents", "--due")
    for name, review in (("old", "2020-01-01"), ("older", "2019-01-01"), ("new", "2999-01-01")):
        kept = Document(
            id=f"taught/{name}",
            filename=f"{name}.txt",
            title=f"The {name} reply",
            source=TAUGHT_SOURCE,
            metadata={"author": "slack:T1:U3", "review": review},
        )
        asyncio.run(_put(kept))
    older, old = run("documents", "--due").splitlines()
    assert "The older reply" in older
    assert "by slack:T1:U3, to be reviewed 2020-01-01" in old


async def _put(document: Document) -> None:
    async with open_storage(Path("citewell-data")) as storage:
        await storage.library.replace_document(document, [], None, "")
