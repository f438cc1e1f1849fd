"""Whatever files, titles, sources, people and places are called, a terminal shows a name and obeys nothing of it."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.commands import terminal
from pipeline.values import Action, AuditEntry
from storage.open import open_storage
from tests.doubles.terminal import look

HOSTILE = (
    "line\nend",
    "tab\there",
    "carriage\rreturn",
    "\x1b]0;owned\x07title",
    "\x1b[2J\x1b[1;1Hcleared",
    "\x1b]8;;https://evil.example\x1b\\link",
    "turned\u202etxt",
    "is\u2066olated",
    "zero\u200bwidth",
    "bell\x07",
    "c1\x9b31mred",
    "next\x85line",
    "para\u2029graph",
    "[red]markup[/red]",
    "tag\U000e0041",
)
WIDTH = 400
LIVE = re.compile(r"\x1b\[\?25[lh]|\x1b\[1A|\x1b\[2K|\r")
"""What a bar of progress is drawn with."""


@pytest.fixture(autouse=True)
def _library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of documents that have such names and titles, and rows of the audit that hold them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_EMBEDDER", "none")
    (folder := tmp_path / "team\nfolder").mkdir()
    for number, name in enumerate(HOSTILE):
        text = f"# The {name} {number}\n\nPage {number} is about vacation days.\n"
        (folder / f"{number:02} {name.replace('/', '')}.md").write_text(text)
        (folder / f"{number:02} {name.replace('/', '')}.xyz").write_text("of no format")
        (folder / f"{number:02} {name.replace('/', '')}.pdf").write_text("of another format")
    table = f'[[sources]]\nkind = "folder"\nname = "share"\npath = "{folder.name.encode("unicode_escape").decode()}"\n'
    (tmp_path / "citewell.toml").write_text(table)


COMMANDS = (
    ("sources", "sync"),
    ("index", "team\nfolder"),
    ("documents",),
    ("sources", "list"),
    ("audit",),
    ("audit", "--json"),
    ("doctor", "--offline"),
    ("doctor", "--offline", "--json"),
    ("ask", "How many vacation days?", "--passages", "--why"),
    ("ask", "How many vacation\u202e days\x1b[2J?", "--thread", "a\nb\x1b[2J"),
    ("history", "show"),
    ("history", "export"),
    ("insights",),
    ("keys", "list"),
    ("schedule",),
    ("documents", "remove", *(f"{name} that is not there" for name in HOSTILE)),
    ("sources", "remove", " ".join(HOSTILE)),
    ("sources", "sync", " ".join(HOSTILE)),
    ("schedule", "run", " ".join(HOSTILE)),
    ("keys", "revoke", HOSTILE[3]),
)


@pytest.fixture
def _audit() -> None:
    """What people are called, and what programs are."""

    async def work() -> None:
        async with open_storage(Path("citewell-data")) as storage:
            for name in HOSTILE:
                at, subject = datetime.now(UTC), f"{name} itself"
                decision = AuditEntry(
                    at=at, actor=f"slack:T1:{name}", action=Action.ADD, subject=subject, allowed=False
                )
                await storage.audit.record(decision)
                await storage.api_keys.add(name, [name], 60)

    asyncio.run(work())


def written(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """All that a command writes."""
    before = os.umask(0o077)
    monkeypatch.setattr(sys, "argv", ["citewell", *command])
    try:
        main()
    except SystemExit:
        pass
    finally:
        os.umask(before)
    told = capsys.readouterr()
    return told.out + told.err


@pytest.mark.usefixtures("_audit")
@pytest.mark.parametrize("at_terminal", [False, True])
def test_every_command_shows_hostile_names_in_their_lines_and_nothing_that_a_terminal_obeys(
    at_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for console in (terminal.out, terminal.err):
        monkeypatch.setattr(console, "_force_terminal", at_terminal)
        monkeypatch.setattr(console, "_width", WIDTH)
    for command in COMMANDS:
        seen = look(LIVE.sub("", written(command, monkeypatch, capsys)), WIDTH)
        assert seen.text, command
        assert not any("evil.example" in link for link in seen.links), command
        assert not {one for one in seen.obeyed if not one.startswith(r"'\t")}, command


@pytest.mark.usefixtures("_audit")
def test_a_name_with_a_line_end_or_a_tab_stays_one_cell_of_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(("sources", "sync"), monkeypatch, capsys)
    listed = written(("documents",), monkeypatch, capsys).splitlines()
    assert len(listed) == len(HOSTILE)
    assert {line.count("\t") for line in listed} == {3}
    assert {line.count("\t") for line in written(("sources", "list"), monkeypatch, capsys).splitlines()} == {5}
    assert len(written(("audit",), monkeypatch, capsys).splitlines()) == len(HOSTILE) + 1
    assert len(written(("keys", "list"), monkeypatch, capsys).splitlines()) == len(HOSTILE)


def test_a_document_is_removed_by_its_name_as_it_is_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(("sources", "sync"), monkeypatch, capsys)
    listed = [line.split("\t")[0] for line in written(("documents",), monkeypatch, capsys).splitlines()]
    assert f"{len(HOSTILE)} documents removed" in written(("documents", "remove", *listed), monkeypatch, capsys)
