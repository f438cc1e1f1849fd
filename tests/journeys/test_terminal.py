"""Type a command, read what the terminal says: on standard output, on standard error, and as an exit status."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.__main__ import main
from bot.config.settings import all_settings, environment_name
from pipeline.errors import Unavailable
from pipeline.ports import DocumentVersion
from pipeline.values import Rating, RatingReason, Vote
from storage.documents.library import SQLDocumentStore
from storage.messages.history import insert_answer
from storage.open import open_storage
from tests.doubles.ports import free_port
from tests.doubles.processes import child
from tests.doubles.samples import answer

QUESTION = "How many vacation days do employees get?"


class Said(NamedTuple):
    out: str
    err: str
    status: int


class Terminal:
    """A person in a folder of their own, with one data folder."""

    def __init__(self, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str], folder: Path) -> None:
        self._patch = patch
        self._capture = capture
        self.data = folder / "data"

    def type(self, *words: str | Path, stdin: str | bytes = "", keyboard: str = "", **environment: str) -> Said:
        """`stdin` is piped into the command, `keyboard` typed while it runs."""
        self._patch.setattr(sys, "argv", ["citewell", *map(str, words)])
        self._patch.setattr(sys, "stdin", Keyboard(keyboard) if keyboard else open_text(stdin))
        with self._patch.context() as patch:
            for name, value in ({"CITEWELL_DATA": str(self.data)} | environment).items():
                patch.setenv(name, value)
            self._capture.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        out, err = self._capture.readouterr()
        return Said(out, err, int(ended.value.code or 0))


def open_text(text: str | bytes) -> TextIOWrapper:
    return TextIOWrapper(BytesIO(text.encode() if isinstance(text, str) else text), encoding="utf-8")


class Keyboard(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Terminal]:
    for name in all_settings():
        monkeypatch.delenv(environment_name(name), raising=False)
    monkeypatch.chdir(tmp_path)
    umask = os.umask(0o022)
    handlers, level = logging.root.handlers[:], logging.root.level
    yield Terminal(monkeypatch, capsys, tmp_path)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    os.umask(umask)


@pytest.fixture
def indexed(person: Terminal, indexed_data: Path) -> Terminal:
    assert person.data == indexed_data
    return person


# --- Indexing ---------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_named_once(person: Terminal, documents: Path) -> None:
    (documents / "broken.pdf").write_text("no PDF")
    said = person.type("index", documents)
    assert said.status == 1
    assert said.out == "2 added, 0 changed, 0 unchanged, 0 removed, 1 failed\n"
    assert (said.out + said.err).count("broken.pdf") == 1


def test_a_path_that_does_not_exist_stops_before_anything_is_indexed(person: Terminal, documents: Path) -> None:
    said = person.type("index", documents, "no-such-folder")
    assert said.status == 2
    assert "no-such-folder" in said.err
    assert not person.data.exists()


def test_what_is_left_out_of_a_folder_is_said_and_is_no_error(person: Terminal, documents: Path) -> None:
    (documents / "node_modules").mkdir()
    (documents / "node_modules" / "README.md").write_text("Left pad.")
    (documents / "later.md").write_text("")
    said = person.type("index", documents)
    assert said.status == 0
    assert "Left out as fetched, built or minified: node_modules." in said.err
    assert "1 file is empty: later.md" in said.err


def test_a_folder_stays_in_its_collection_when_it_is_indexed_again(person: Terminal, documents: Path) -> None:
    person.type("index", documents, "--collection", "hr")
    person.type("index", documents)
    person.type("index", documents / "leave.md")
    assert {line.split("\t")[2] for line in person.type("documents").out.splitlines()} == {"hr"}


def test_a_collection_has_a_name_that_rules_can_hold(person: Terminal, documents: Path) -> None:
    said = person.type("index", documents, "--collection", "human resources")
    assert said.status == 2
    assert "must be a name of letters" in said.err


def test_a_rule_that_closes_nothing_is_said(person: Terminal, documents: Path) -> None:
    Path("citewell.toml").write_text('[collections.HR]\nonly = ["slack:T1:C1"]\n')
    for said in (person.type("index", documents, "--collection", "hr"), person.type("documents")):
        assert said.status == 0
        assert "citewell: The rule [collections.HR] fits no collection" in said.err
        assert "Did you mean hr? Now every member may see hr." in said.err


def test_documents_of_another_embedder_are_told_until_they_are_embedded_again(
    person: Terminal, documents: Path
) -> None:
    person.type("index", documents, CITEWELL_EMBEDDER="none")
    told = "citewell: 2 documents are not embedded with CITEWELL_EMBEDDER=minilm and found by words only. "
    assert told + "To embed them: citewell index --rebuild\n" in person.type("ask", QUESTION).err
    (documents / "new").mkdir()
    assert told in person.type("index", documents / "new").err
    (documents / "leave.md").unlink()
    said = person.type("index", "--rebuild")
    assert said.out == "Embedded 2 documents.\n"
    assert said.err == person.type("ask", QUESTION).err == ""


def test_documents_are_called_embedded_only_if_they_were(indexed: Terminal) -> None:
    assert indexed.type("index", "--rebuild").out == "All documents are embedded.\n"
    without = indexed.type("index", "--rebuild", CITEWELL_EMBEDDER="none")
    assert without.out == "No embedder is set, so documents are found by words only.\n"


def down() -> dict[str, str]:
    """Settings of an embedder that nothing answers for."""
    address = f"http://127.0.0.1:{free_port()}/v1"
    given = {"CITEWELL_EMBEDDER": "openai:embed", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": address}
    return given | {"CITEWELL_MODEL": "extractive"}


def test_an_embedder_that_is_down_costs_no_command(person: Terminal, documents: Path) -> None:
    without = down()
    said = person.type("index", documents, **without)
    assert said.status == 0
    assert "Searched by words only until indexed again: openai:embed: the connection failed" in said.err
    for words in (("documents",), ("history", "show"), ("history", "forget", "--yes")):
        assert person.type(*words, **without).status == 0
    said = person.type("ask", QUESTION, **without)
    assert "25 vacation days" in said.out
    assert "search degraded: embedder" in said.err
    said = person.type("index", "--rebuild", **without)
    assert said.status == 2
    assert "openai:embed: the connection failed" in said.err


def test_while_a_new_embedder_is_down_the_one_before_is_asked(indexed: Terminal, documents: Path) -> None:
    without = down()
    (documents / "leave.md").write_text("# Leave\n\nEmployees get 26 vacation days a year.\n")
    assert "Searched by words only" not in indexed.type("index", documents, **without).err
    said = indexed.type("ask", QUESTION, **without)
    assert "26 vacation days" in said.out
    assert "search degraded" not in said.err
    assert "0 of 2 documents are embedded with CITEWELL_EMBEDDER=openai:embed; until all are, minilm" in said.err


def test_a_server_that_is_not_there_is_said_in_a_line(person: Terminal, documents: Path) -> None:
    server = {"CITEWELL_CHROMA_URL": "http://127.0.0.1:9"}
    for said in (person.type("index", documents, **server), person.type("ask", QUESTION, **server)):
        assert said.status == 0
        assert said.err.startswith("citewell: The Chroma server of CITEWELL_CHROMA_URL (127.0.0.1:9) cannot be reached")
        assert said.err.count("\n") == 1


def test_where_there_is_nothing_to_read_what_can_be_read_is_said(person: Terminal, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "cat.png").write_bytes(b"\x89PNG")
    said = person.type("index", "pictures")
    assert (said.status, said.out) == (0, "0 added, 0 changed, 0 unchanged, 0 removed, 0 failed\n")
    assert said.err.startswith("There is nothing to read in pictures: .")
    assert ".pdf" in said.err


def test_what_is_left_out_of_a_folder_is_said(person: Terminal, documents: Path) -> None:
    (documents / "README").write_text("Read me.")
    (documents / "old.doc").write_text("Old.")
    (documents / "secret.txt").symlink_to("/etc/passwd")
    said = person.type("index", documents)
    assert (said.status, said.out) == (0, "2 added, 0 changed, 0 unchanged, 0 removed, 0 failed\n")
    assert "2 files were left out because of the format: README, old.doc\n" in said.err
    assert "1 link was not followed, leading out of the folder: secret.txt." in said.err
    for number in range(5):
        (documents / f"{number}.png").write_text("x")
    said = person.type("index", documents)
    assert "7 files were left out because of the format: 5 .png, 1 without a suffix, 1 .doc\n" in said.err


def test_a_device_is_not_taken_for_a_file(person: Terminal) -> None:
    said = person.type("index", "/dev/null")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("citewell: /dev/null is neither a file nor a folder\n")


def test_an_interrupted_run_says_what_is_kept_and_goes_on(
    person: Terminal, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = SQLDocumentStore.replace_documents

    async def put_and_interrupt(library: SQLDocumentStore, versions: Sequence[DocumentVersion]) -> None:
        await put(library, versions)
        if any(version.document.filename == "leave.md" for version in versions):
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(SQLDocumentStore, "replace_documents", put_and_interrupt)
        said = person.type("index", documents)
    assert said.status == 130
    assert re.fullmatch(
        r"Stopped\. [12] documents? (was|were) indexed and kept\. The same command continues from there\.\n",
        said.err,
    )
    assert "0 failed" in person.type("index", documents).out
    assert len(collections(person)) == 2


def test_what_is_not_moved_to_another_collection_is_said(indexed: Terminal, documents: Path) -> None:
    indexed.type("index", documents / "leave.md", "--collection", "hr")
    said = indexed.type("index", documents, "--collection", "all")
    assert f"{documents / 'leave.md'} stays in the collection hr" in said.err


def test_only_the_owner_can_read_what_is_kept(indexed: Terminal) -> None:
    files = [indexed.data, *indexed.data.rglob("*")]
    assert len(files) >= 3
    assert [path for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


@pytest.mark.parametrize(("path", "reason"), [("file", "is a file"), ("file/data", "inside a file")])
def test_a_data_folder_that_cannot_be_is_explained(person: Terminal, path: str, reason: str) -> None:
    Path("file").write_text("")
    said = person.type("documents", "--data", path)
    assert said.status == 2
    assert said.err.startswith(f"citewell: data folder: {path} ")
    assert reason in said.err
    assert "CITEWELL_DATA or --data" in said.err


@pytest.mark.parametrize(
    "command", [["ask", QUESTION], ["chat"], ["documents"], ["documents", "remove", "x"], ["history", "show"]]
)
def test_a_question_makes_no_data_folder(person: Terminal, tmp_path: Path, command: list[str]) -> None:
    folder = tmp_path / "there"
    folder.mkdir(mode=0o755)
    for place in ("missing", "there"):
        said = person.type(*command, "--data", place)
        assert said.status == 2
        assert said.err.startswith(f"citewell: data folder: there is none at {place}: nothing is indexed yet\n")
        assert "citewell index PATH" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert list(folder.iterdir()) == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("left", "how"), [("garbage " * 1000, "is damaged (SQLITE_NOTADB"), ("", "is empty (0 bytes)")]
)
def test_a_database_that_is_none_any_more_is_named_and_its_backup_brings_it_back(
    indexed: Terminal, left: str, how: str
) -> None:
    file = indexed.data / "citewell.db"
    assert "2 documents" in indexed.type("backup").out
    (backup,) = (indexed.data / "backups").iterdir()
    for leftover in indexed.data.glob("citewell.db-*"):
        leftover.unlink()
    file.write_text(left)
    said = indexed.type("ask", QUESTION)
    assert said.status == 2
    assert said.err.startswith(f"citewell: storage: {file} {how}")
    assert f"citewell restore {backup}" in said.err
    restored = indexed.type("restore", backup)
    assert restored.status == 0
    assert "before-restore" in restored.out
    assert "25" in indexed.type("ask", QUESTION).out


def test_a_database_that_is_none_any_more_and_has_no_backup_is_to_be_indexed_again(indexed: Terminal) -> None:
    (indexed.data / "citewell.db").write_text("garbage " * 1000)
    assert "index again" in indexed.type("ask", QUESTION).err


def test_a_backup_is_made_verified_and_refused_when_it_is_none(indexed: Terminal, tmp_path: Path) -> None:
    assert "there is no backup" in indexed.type("backup", "verify").err
    away = tmp_path / "away.db"
    for said in (indexed.type("backup", away), indexed.type("backup", "verify", away)):
        assert said.status == 0
        assert re.search(r"2 documents, \d+ passages, 0 answers", said.out)
    assert indexed.type("backup").status == 0
    assert indexed.type("backup", "verify").status == 0
    away.write_text("not a database " * 100)
    for command in (("backup", "verify"), ("restore",)):
        said = indexed.type(*command, away)
        assert said.status == 2
        assert "Take another backup" in said.err


def test_a_restore_says_that_sessions_and_links_ended_and_names_the_keys_to_look_at(indexed: Terminal) -> None:
    for name in ("kept", "stolen"):
        assert indexed.type("keys", "add", name).status == 0
    assert indexed.type("backup", "away.db").status == 0
    assert indexed.type("keys", "revoke", "stolen").status == 0
    said = indexed.type("restore", "away.db")
    assert said.status == 0
    assert "sign in to the page again" in said.out
    assert "Links to sources" in said.out
    assert "stolen" in said.out
    assert "kept (" not in said.out + said.err
    other = indexed.type("restore", "away.db", "--data", "another")
    assert other.status == 0
    for name in ("kept", "stolen"):
        assert re.search(rf"{name} \(\w+\)", other.err)
    assert "citewell keys revoke" in other.err


# --- Documents --------------------------------------------------------------------------------------


def test_documents_are_lines_with_tabs_when_they_are_piped(indexed: Terminal) -> None:
    lines = [line.split("\t") for line in indexed.type("documents").out.splitlines()]
    assert [line[1:] for line in lines] == [
        ["Expenses", "default", "expenses.md"],
        ["Leave policy", "default", "leave.md"],
    ]


def test_keys_in_a_document_are_told_where_it_is_indexed_listed_and_examined(person: Terminal, documents: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (documents / "runbook.md").write_text(f"# Deploy\n\nUse {key} and write to anna@example.com.\n")
    said = [person.type("index", documents), person.type("documents"), person.type("doctor", "--offline")]
    assert "keys: runbook.md: holds GitHub token: revoke what is real, and take it out\n" in said[0].err
    assert "runbook.md (holds GitHub token)" in said[1].out
    assert "1 document holds keys or tokens" in said[2].out
    assert not any(value in f"{one.out}{one.err}" for one in said for value in (key, "anna@example.com"))


def test_documents_are_forgotten_by_id_by_file_and_by_folder(indexed: Terminal, documents: Path) -> None:
    first, second = (line.split("\t")[0] for line in indexed.type("documents").out.splitlines())
    assert indexed.type("documents", "remove", first).out == "1 document removed\n"
    indexed.type("index", documents)
    assert indexed.type("documents", "remove", documents / "leave.md").out == "1 document removed\n"
    indexed.type("index", documents)
    assert indexed.type("documents", "remove", documents, "--yes").out == "2 documents removed\n"
    assert second


def test_a_removed_file_that_is_still_there_is_said_to_come_back(indexed: Terminal, documents: Path) -> None:
    said = indexed.type("documents", "remove", documents / "leave.md")
    assert "1 of these files is still in an indexed folder or source and will come back" in said.err
    (documents / "expenses.md").unlink()
    assert indexed.type("documents", "remove", documents / "expenses.md").err == ""


def collections(person: Terminal) -> dict[str, str]:
    rows = [line.split("\t") for line in person.type("documents").out.splitlines()]
    return {row[3]: row[2] for row in rows}


def test_a_closed_folder_that_is_removed_is_said_to_come_back_and_comes_back_closed(
    person: Terminal, documents: Path
) -> None:
    (documents / "hr").mkdir()
    (documents / "hr" / "pay.md").write_text("# Pay\n\nThe pay scale has eight steps.\n")
    person.type("index", documents / "hr", "--collection", "hr")
    person.type("index", documents)
    said = person.type("documents", "remove", documents / "hr")
    assert said.out == "1 document removed\n"
    assert "1 of these files is still in an indexed folder or source and will come back" in said.err
    person.type("index", documents)
    assert collections(person)["pay.md"] == "hr"


def test_a_file_that_was_indexed_by_itself_is_said_to_come_back_with_its_folder_only(
    person: Terminal, documents: Path
) -> None:
    person.type("index", documents / "leave.md", "--collection", "hr")
    (name,) = (line.split("\t")[0] for line in person.type("documents").out.splitlines())
    said = person.type("documents", "remove", name)
    assert (said.out, said.err) == ("1 document removed\n", "")
    person.type("index", documents / "leave.md", "--collection", "hr")
    person.type("index", documents)
    said = person.type("documents", "remove", documents / "leave.md")
    assert "1 of these files is still in an indexed folder or source and will come back" in said.err
    person.type("index", documents)
    assert collections(person)["leave.md"] == "hr"


def test_one_line_of_a_file_that_was_indexed_by_itself_is_said_to_come_back(person: Terminal, documents: Path) -> None:
    file = documents / "lines.jsonl"
    file.write_text("".join(f'{{"doc_id": "{name}", "text": "This is {name}."}}\n' for name in ("one", "two")))
    person.type("index", file)
    first, _ = (line.split("\t")[0] for line in person.type("documents").out.splitlines())
    assert "1 of these files is still" in person.type("documents", "remove", first).err
    assert person.type("documents", "remove", file, "--yes").err == ""


def test_a_file_that_is_removed_on_a_full_disk_does_not_come_back(
    person: Terminal, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(_: SQLDocumentStore) -> None:
        raise Unavailable("storage", "the disk is full")

    person.type("index", documents / "leave.md")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(SQLDocumentStore, "delete_unreachable", full)
        assert person.type("documents", "remove", "leave.md").status == 2
    person.type("schedule", "run", "sync")
    assert person.type("documents").out == ""


def test_a_source_without_documents_can_be_removed_too(indexed: Terminal, documents: Path) -> None:
    (documents / "leave.md").unlink()
    (documents / "expenses.md").unlink()
    indexed.type("index", documents)
    assert indexed.type("documents", "remove", documents).status == 0
    assert "is not indexed" in indexed.type("documents", "remove", documents).err


@pytest.mark.parametrize("name", ["~nobody-of-this-name", "loop"])
def test_a_name_that_leads_nowhere_is_answered_like_any_other(indexed: Terminal, name: str) -> None:
    Path("loop").symlink_to("loop")
    said = indexed.type("documents", "remove", name)
    assert (said.status, said.out) == (1, "0 documents removed\n")
    assert f"{name} is not indexed." in said.err


def test_a_folder_that_is_removed_is_looked_at_no_more(indexed: Terminal, documents: Path) -> None:
    indexed.type("index", documents / "leave.md", "--collection", "hr")
    said = indexed.type("documents", "remove", documents, "--yes")
    assert (said.out, said.err) == ("2 documents removed\n", "")
    indexed.type("index", documents)
    assert set(collections(indexed).values()) == {"default"}


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_taken_for_this_folder(indexed: Terminal, name: str) -> None:
    said = indexed.type("documents", "remove", name, "--yes")
    assert said.status == 2
    assert "A name is empty" in said.err
    assert len(collections(indexed)) == 2


def test_several_documents_are_forgotten_only_by_who_says_yes(indexed: Terminal, documents: Path) -> None:
    said = indexed.type("documents", "remove", documents)
    assert said.status == 2
    assert said.err == f"citewell: this would forget all 2 documents of {documents}\n  If that is meant, add --yes.\n"
    said = indexed.type("documents", "remove", "/", keyboard="n\n")
    assert (said.status, said.out) == (1, "Forget all 2 documents of /? [y/N]: ")
    assert len(collections(indexed)) == 2
    assert "2 documents removed" in indexed.type("documents", "remove", "/", keyboard="y\n").out


def test_a_name_that_fits_nothing_is_answered_with_the_nearest(indexed: Terminal) -> None:
    said = indexed.type("documents", "remove", "leaves.md", "zzz")
    assert said.status == 1
    assert said.out == "0 documents removed\n"
    assert re.search(r"leaves\.md is not indexed\. Did you mean [0-9a-f]{8}/leave\.md", said.err)
    assert "zzz is not indexed. To list what is: citewell documents" in said.err


@pytest.mark.parametrize("column", range(4))
def test_documents_are_forgotten_by_what_names_them_alone_in_the_list(
    indexed: Terminal, documents: Path, column: int
) -> None:
    (documents / "hr").mkdir()
    (documents / "hr" / "pay.md").write_text("# Pay\n\nThe pay scale has eight steps.\n")
    indexed.type("index", documents)
    row = next(row for row in indexed.type("documents").out.splitlines() if "hr/pay.md" in row).split("\t")
    said = indexed.type("documents", "remove", row[column])
    assert said.out == ("0 documents removed\n" if row[column] == "default" else "1 document removed\n")


def test_a_folder_as_it_is_listed_stands_for_all_below_it(indexed: Terminal, documents: Path) -> None:
    (documents / "hr").mkdir()
    for name in ("pay", "sick"):
        (documents / "hr" / f"{name}.md").write_text(f"# {name}\n\nThis is about {name}.\n")
    indexed.type("index", documents)
    assert "this would forget all 2 documents of hr/\n" in indexed.type("documents", "remove", "hr/").err
    assert indexed.type("documents", "remove", "hr/", "--yes").out == "2 documents removed\n"


def test_a_listed_name_that_two_documents_have_is_not_guessed(person: Terminal, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "leave.md").write_text(f"# Leave\n\nEmployees of {folder} get 25 vacation days.\n")
        person.type("index", folder)
    for name in ("leave.md", "Leave"):
        said = person.type("documents", "remove", name)
        assert (said.status, said.out) == (1, "0 documents removed\n")
        assert re.search(
            rf"{name} stands for several documents\. Did you mean \w+/leave.md or \w+/leave.md\?", said.err
        )


def test_a_file_here_is_not_taken_for_one_of_that_name_elsewhere(indexed: Terminal) -> None:
    Path("leave.md").write_text("# Another\n")
    said = indexed.type("documents", "remove", "leave.md")
    assert (said.status, said.out) == (1, "0 documents removed\n")
    assert "Did you mean" in said.err


# --- Sources ----------------------------------------------------------------------------------------


def test_a_source_is_added_synced_listed_and_removed(indexed: Terminal, tmp_path: Path) -> None:
    (tmp_path / "citewell.toml").write_text("# ours\ntop_k = 3\n")
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "canteen.md").write_text("# Canteen\n\nThe canteen opens at noon.\n")
    said = indexed.type("sources", "add", "folder", "wiki", "path=wiki", "--collection", "hr", "--every-minutes", "30")
    assert (said.status, "citewell sources sync wiki" in said.out) == (0, True)
    assert (tmp_path / "citewell.toml").read_text().startswith("# ours\ntop_k = 3\n")
    said = indexed.type("sources", "list")
    kind, name, collection, documents, last, due = said.out.splitlines()[0].split("\t")
    assert (kind, name, collection, documents, last, due) == ("folder", "wiki", "hr", "0", "never", "now")
    assert "wiki: 1 added, 0 changed, 0 unchanged, 0 removed, 0 failed\n" in indexed.type("sources", "sync").out
    assert "[1]" in indexed.type("ask", "When does the canteen open?").out
    assert "1 added" in indexed.type("sources", "list").out
    said = indexed.type("sources", "remove", "wiki")
    assert (said.status, "all 1 documents of wiki" in said.err) == (2, True)
    assert indexed.type("sources", "remove", "wiki", keyboard="y\n").status == 0
    assert (tmp_path / "citewell.toml").read_text() == "# ours\ntop_k = 3\n"
    assert "noon" not in indexed.type("ask", "When does the canteen open?").out
    assert "index documents (hr)" in indexed.type("audit").out


def test_a_source_that_was_indexed_by_its_path_is_listed_and_removed_by_it(indexed: Terminal, documents: Path) -> None:
    (row,) = indexed.type("sources", "list").out.splitlines()
    assert row.split("\t")[:4] == ["folder", str(documents), "default", "2"]
    assert indexed.type("sources", "remove", documents, "--yes").out == "2 documents removed\n"
    assert indexed.type("sources", "list").out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["add", "ftp", "wiki"], "KIND must be folder"),
        (["add", "folder", "wiki"], "path is missing"),
        (["add", "folder", "wiki", "paht=x"], "Did you mean path?"),
        (["add", "folder", "w i", "path=x"], "name must be a name of letters"),
        (["add", "folder", "wiki", "x"], "must be KEY=VALUE"),
        (["add", "git", "wiki", "url=me@host:repo"], "SSH is not supported"),
        (["add", "github", "wiki", "repository=a/b", "take=issue"], "take must be issues, discussions or wiki"),
        (["sync", "wiki"], "there is no source wiki in citewell.toml"),
        (["remove", "wiki"], "there is no source wiki"),
    ],
)
def test_what_is_wrong_about_a_source_is_said_and_nothing_is_written(
    person: Terminal, tmp_path: Path, words: list[str], told: str
) -> None:
    said = person.type("sources", *words)
    assert said.status == 2
    assert told in " ".join(said.err.replace("│", " ").split())
    assert not (tmp_path / "citewell.toml").exists()


def test_a_name_that_is_taken_is_refused(person: Terminal, documents: Path) -> None:
    assert person.type("sources", "add", "folder", "wiki", f"path={documents}").status == 0
    said = person.type("sources", "add", "folder", "wiki", "path=elsewhere")
    assert (said.status, "there is a source wiki in citewell.toml already" in said.err) == (2, True)


def test_documents_that_are_gone_from_a_source_are_asked_about(person: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nThe number of this page is {number}.\n")
    person.type("sources", "add", "folder", "wiki", "path=wiki")
    person.type("sources", "sync")
    for number in range(2, 10):
        (folder / f"{number}.md").unlink()
    said = person.type("sources", "sync")
    assert said.status == 1
    assert "8 documents are gone from wiki, and are kept. To forget them: citewell sources sync wiki --yes" in said.err
    assert "8 documents gone and kept" in person.type("sources", "list").out
    assert "0 removed" in person.type("sources", "sync", keyboard="n\n").out
    assert "8 removed" in person.type("sources", "sync", keyboard="y\n").out
    assert "8 removed" in person.type("sources", "list").out


def test_a_source_that_fails_stops_no_other(person: Terminal, documents: Path) -> None:
    person.type("sources", "add", "folder", "gone", "path=no-such-folder")
    person.type("sources", "add", "folder", "wiki", f"path={documents}")
    said = person.type("sources", "sync")
    assert (said.status, said.out) == (1, "wiki: 2 added, 0 changed, 0 unchanged, 0 removed, 0 failed\n")
    assert "gone: " in said.err
    assert "does not exist" in said.err


# --- Asking -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["ask", QUESTION], ["chat"], ["documents"]])
def test_an_empty_library_is_told_the_command_that_fills_it(
    person: Terminal, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "nothing").mkdir()
    person.type("index", "nothing")
    said = person.type(*command)
    assert "citewell index PATH" in said.out + said.err


def test_what_goes_wrong_beside_the_answer_is_one_line_of_words_on_standard_error(indexed: Terminal) -> None:
    closed = {"CITEWELL_MODEL": "openai:m", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    said = indexed.type("ask", QUESTION, "--json", **closed)
    assert said.status == 0
    assert "25 vacation days" in json.loads(said.out)["answer"]
    assert said.err == "citewell: model not used: openai:m: the connection failed\n"


def test_an_answer_that_is_not_given_lists_nothing_as_supported(indexed: Terminal) -> None:
    said = indexed.type("ask", QUESTION, "--json", CITEWELL_MINIMUM_SOURCES="3")
    answer = json.loads(said.out)
    assert said.status == 1
    assert answer["outcome"] == "not_found"
    assert answer["abstain_reason"] == "Only 1 document supports an answer, and 3 are required."
    assert (answer["claims"], answer["grounding_score"], answer["citations"]) == ([], 0.0, [])
    assert answer["confidence"]["level"] == "low"
    assert "supported by" not in json.dumps(answer["confidence"]["reasons"])


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("--style", "concise, detailed or bullet"),
        ("--citations", "numbered, inline, footnote or endnote"),
        ("--format", " or "),
    ],
)
def test_a_word_that_an_option_does_not_take_is_answered_with_those_it_takes(
    person: Terminal, option: str, allowed: str
) -> None:
    said = person.type("ask", option, "foo", QUESTION, COLUMNS="200")
    assert said.status == 2
    assert f"Invalid value for '{option}': must be " in said.err
    assert f"{allowed}" in said.err
    assert "not 'foo'" in said.err
    assert "Value error" not in said.err


def test_who_asks_for_more_documents_than_are_named_is_told_the_command_that_lists_them(
    person: Terminal, documents: Path
) -> None:
    for number in range(10):
        (documents / f"{number}.md").write_text(f"# Rule {number}\n\nThis is rule {number}.\n")
    person.type("index", documents)
    said = person.type("ask", "Which documents do you have?")
    assert re.search(r"and \d more\.", " ".join(said.out.split()))
    assert "citewell documents" in said.err


@pytest.mark.parametrize(
    "words", [("ask", QUESTION, "--why"), ("chat",), ("history", "show")], ids=lambda words: words[0]
)
def test_what_is_piped_ends_with_its_text(indexed: Terminal, words: tuple[str, ...]) -> None:
    indexed.type("ask", QUESTION, "--thread", "a")
    said = indexed.type(*words, stdin=f"{QUESTION}\n\n")
    assert "25 vacation days" in said.out
    assert [line for line in said.out.splitlines() if line != line.rstrip() and line != "> "] == []


@pytest.mark.parametrize("form", ["table", "steps"])
def test_a_form_that_the_documents_do_not_have_is_said(indexed: Terminal, form: str) -> None:
    said = indexed.type("ask", QUESTION, "--format", form)
    assert "25 vacation days" in said.out
    assert said.err == f"The answer has no {form}.\n"
    assert indexed.type("ask", QUESTION, "--format", "prose").err == ""


def test_each_chat_is_a_conversation_of_its_own(indexed: Terminal) -> None:
    names = []
    for question in (QUESTION, "What is the daily limit for a hotel?"):
        said = indexed.type("chat", stdin=f"{question}\n\n")
        names += re.findall(r"citewell chat --thread (\S+)", said.err)
    indexed.type("chat", "--thread", names[0], stdin="And contractors?\n\n")
    first, second = (indexed.type("history", "show", "--thread", name).out for name in names)
    assert QUESTION in first
    assert "And contractors?" in first
    assert second.count("> ") == 1


@pytest.mark.parametrize("words", [("ask", QUESTION), ("chat",)], ids=["ask", "chat"])
def test_sources_and_confidence_are_left_out_where_the_operator_wants_it(
    indexed: Terminal, words: tuple[str, ...]
) -> None:
    def told(**environment: str) -> str:
        return indexed.type(*words, stdin=f"{QUESTION}\n\n", **environment).out

    assert "Sources" in told()
    assert "confidence" in told()
    bare = told(CITEWELL_INCLUDE_CITATIONS="false", CITEWELL_INCLUDE_CONFIDENCE="false")
    assert "25 vacation days" in bare
    assert "Sources" not in bare
    assert "confidence" not in bare


async def rated(data: Path) -> None:
    async with open_storage(data) as storage:
        await storage.database.write(lambda db: insert_answer(db, answer("a1"), "slack:T1:U1", time.time()))
        for person, vote in (("slack:T1:U2", Vote.HELPFUL), ("slack:T1:U3", Vote.UNHELPFUL)):
            comment = "since May it is 26 [bold]days\x1b[31m" if vote is Vote.UNHELPFUL else ""
            reason = RatingReason.OUTDATED if comment else None
            await storage.feedback.rate(
                Rating(answer_id="a1", person=person, vote=vote, reason=reason, comment=comment)
            )


def test_ratings_are_counted_and_those_that_say_not_helpful_listed(person: Terminal) -> None:
    asyncio.run(rated(person.data))
    said = person.type("history", "ratings")
    assert said.status == 0
    assert said.out.startswith("1 helpful, 1 not helpful\n\n")
    assert "> How many vacation days?\noutdated (answer a1)\nsince May it is 26 [bold]days" in said.out
    assert "U3" not in said.out
    assert "\x1b" not in said.out
    listed = json.loads(person.type("history", "ratings", "--json").out)
    assert (listed["helpful"], listed["unhelpful"]) == (1, 1)
    (row,) = listed["ratings"]
    assert (row["question"], row["answer_id"], row["reason"]) == ("How many vacation days?", "a1", "outdated")


def test_the_history_shows_all_conversations_or_one(indexed: Terminal) -> None:
    assert "Nothing is kept" in indexed.type("history", "show").err
    indexed.type("ask", QUESTION, "--thread", "a")
    indexed.type("ask", "What is the daily limit for a hotel?", "--thread", "b")
    both = indexed.type("history", "show").out
    assert re.search(r"--thread a > How many vacation .*\n(.*\n)*.*--thread b > What is the daily limit", both)
    one = indexed.type("history", "show", "--thread", "b").out
    assert "hotel" in one
    assert "vacation" not in one


# --- Scoring ----------------------------------------------------------------------------------------


def test_predictions_are_not_written_into_a_folder_that_does_not_exist(person: Terminal) -> None:
    Path("texts.jsonl").write_text('{"id": "1", "text": "How many vacation days do I get?"}\n')
    said = person.type("eval", "injection", "texts.jsonl", "--out", "missing/out.jsonl")
    assert said.status == 2
    assert "There is no folder missing" in said.err
    assert not Path("missing").exists()


def test_runs_are_compared_only_if_they_are_predictions(person: Terminal) -> None:
    Path("questions.jsonl").write_text('{"id": "1", "question": "How many vacation days do I get?"}\n')
    said = person.type("eval", "compare", "questions.jsonl", "questions.jsonl")
    assert said.status == 2
    assert "questions.jsonl, line 1: abstained, cited, level, answer missing" in said.err


def test_a_file_that_holds_no_predictions_is_left_as_it_is(person: Terminal) -> None:
    Path("texts.jsonl").write_text('{"id": "1", "text": "How many vacation days do I get?"}\n')
    Path("notes.md").write_text("# Notes\n\nMine.\n")
    said = person.type("eval", "injection", "texts.jsonl", "--out", "notes.md")
    assert said.status == 2
    assert "notes.md holds no predictions" in said.err
    assert Path("notes.md").read_text() == "# Notes\n\nMine.\n"


def test_what_is_no_text_is_said_in_a_line(indexed: Terminal) -> None:
    for said in (indexed.type("ask", "-", stdin=b"\xff\xfe bad"), indexed.type("ask", "\udcff bad")):
        assert said.status == 2
        assert said.err.startswith("citewell: the question is not text in UTF-8\n")
    Path("binary.md").write_bytes(b"\xff\xfe\n")
    said = indexed.type("eval", "injection", "binary.md", "--out", "out")
    assert said.status == 2
    assert said.err.startswith("citewell: binary.md is not text in UTF-8\n")
    Path("texts.jsonl").write_text('{"id": "1", "text": "How many vacation days do I get?"}\n')
    said = indexed.type("eval", "injection", "texts.jsonl", "--out", "binary.md")
    assert said.err.startswith("citewell: binary.md is not text in UTF-8\n")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_rows_is_refused(person: Terminal, text: str) -> None:
    Path("texts.jsonl").write_text(text)
    said = person.type("eval", "injection", "texts.jsonl", "--out", "out")
    assert said.status == 2
    assert "texts.jsonl holds no rows" in said.err


def test_questions_say_what_is_right_in_fields_that_are_named(person: Terminal) -> None:
    Path("documents.jsonl").write_text('{"doc_id": "leave", "text": "Employees get 25 vacation days a year."}\n')
    Path("questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION, "answer": "25"}) + "\n")
    words = ("eval", "qa", "questions.jsonl", "--documents", "documents.jsonl", "--out")
    said = person.type(*words, "out1")
    assert "The field answer is not read" in said.err
    assert "Fields for them: answerability (ANSWERABLE" in said.err
    Path("questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION, "answers": "25"}) + "\n")
    assert "answers is not a list" in person.type(*words, "out2").err
    gold = {"answerability": "ANSWERABLE", "answers": ["25"], "gold_doc_ids": ["leave"]}
    Path("questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION} | gold) + "\n")
    said = person.type(*words, "out3")
    assert re.search(r"useful_rate +1\.0000", said.out)
    assert re.search(r"recall@1 +1\.0000", said.out)


@pytest.mark.parametrize(
    ("command", "row", "problem"),
    [
        ("qa", {"question": "Why?", "answerability": "MAYBE"}, 'answerability is "MAYBE"'),
        ("grounding", {"response": "So.", "sources": ["So."], "label": "yes"}, 'label is "yes"'),
        ("injection", {"text": "So.", "label": 2}, "label is 2"),
    ],
)
def test_what_is_right_is_said_in_the_words_that_are_allowed(
    person: Terminal, command: str, row: dict[str, Any], problem: str
) -> None:
    Path("documents.jsonl").write_text('{"doc_id": "leave", "text": "Employees get 25 vacation days a year."}\n')
    Path("rows.jsonl").write_text("\n" + json.dumps({"id": "1"} | row) + "\n")
    more = ["--documents", "documents.jsonl"] if command == "qa" else []
    said = person.type("eval", command, "rows.jsonl", *more, "--out", "out")
    assert said.status == 2
    assert f"rows.jsonl, line 2: {problem}\n  Allowed are " in said.err
    assert not Path("out").exists()


def test_documents_that_are_right_and_not_there_are_said(person: Terminal) -> None:
    Path("documents.jsonl").write_text('{"doc_id": "leave", "text": "Employees get 25 vacation days a year."}\n')
    gold = {"answerability": "ANSWERABLE", "answers": ["25"], "gold_doc_ids": ["leave", "holidays.md"]}
    Path("questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION} | gold) + "\n")
    said = person.type("eval", "qa", "questions.jsonl", "--documents", "documents.jsonl", "--out", "out")
    assert said.status == 0
    told = "1 of 2 gold_doc_ids fit no document, such as holidays.md; ids of documents look like leave"
    assert f"citewell: {told}\n" in said.err


def test_documents_of_which_none_can_be_read_are_not_scored(person: Terminal) -> None:
    Path("documents.jsonl").write_text('{"id": "leave"}\n')
    Path("questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION}) + "\n")
    said = person.type("eval", "qa", "questions.jsonl", "--documents", "documents.jsonl", "--out", "out")
    assert said.status == 2
    assert "no document in documents.jsonl could be read" in said.err
    assert "doc_id" in said.err


# --- Ending -----------------------------------------------------------------------------------------

INTERRUPTED = """
import signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal.raise_signal(signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Finder())
from bot.__main__ import main
main()
"""
"""A command line during which somebody presses Ctrl-C as a module is imported."""


@pytest.mark.parametrize("module", ["bot.commands.app", "rich.table", "pipeline.errors", "bot.wiring"])
@pytest.mark.slow
def test_ctrl_c_while_it_starts_ends_without_a_word(module: str, indexed: Terminal) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module, "ask", QUESTION, "--data", str(indexed.data)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [("ask", QUESTION), ("documents",)], ids=["ask", "documents"])
@pytest.mark.slow
def test_output_that_cannot_be_written_is_said_in_a_line(words: tuple[str, ...], indexed: Terminal) -> None:
    command = [sys.executable, "-m", "bot", *words]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command,
            stdout=full,
            stderr=PIPE,
            env=os.environ | {"CITEWELL_DATA": str(indexed.data)},
            text=True,
            timeout=60,
        )
    assert (ended.returncode, ended.stderr) == (1, "citewell: No space left on device\n")


# --- Running ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        ("slack", {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "SLACK_API_URL": "http://127.0.0.1:9/"}),
        ("discord", {"DISCORD_TOKEN": "a.b.c", "DISCORD_API_URL": "http://127.0.0.1:9"}),
    ],
)
@pytest.mark.slow
async def test_a_platform_that_cannot_be_reached_is_said_in_a_line_and_tried_again(
    name: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    env = {"PATH": os.environ["PATH"], "CITEWELL_DATA": str(tmp_path / "data"), **environment}
    async with child(sys.executable, "-m", "bot", "run", env=env, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout
        async with asyncio.timeout(60):
            told = [line async for line in _until(process.stdout, "is tried again in 5 seconds")]
        process.terminate()
        async with asyncio.timeout(30):
            _, errors = await process.communicate()
    assert process.returncode == 0
    assert "citewell index PATH" in "".join(told)
    assert f"whether {name} is down" in told[-1]
    assert errors.decode() == ""


async def _until(stream: asyncio.StreamReader, text: str) -> AsyncIterator[str]:
    async for line in stream:
        yield line.decode()
        if text in line.decode():
            return


# --- The clock --------------------------------------------------------------------------------------


def test_what_is_done_by_the_clock_is_listed_and_done_at_once_when_asked(indexed: Terminal) -> None:
    listed = [line.split("\t") for line in indexed.type("schedule").out.splitlines()]
    assert [(name, last) for name, _, _, last, _ in listed] == [
        ("forget", "never"),
        ("tell", "never"),
        ("sync", "never"),
        ("backup", "never"),
    ]
    assert "done in" in indexed.type("schedule", "run", "backup").out
    assert len(list((indexed.data / "backups").iterdir())) == 1
    (after,) = [line for line in indexed.type("schedule").out.splitlines() if line.startswith("backup")]
    assert "done in" in after
    assert "within two minutes" not in after


def test_a_job_that_is_not_there_and_one_that_fails_are_said(indexed: Terminal) -> None:
    said = indexed.type("schedule", "run", "nap")
    assert (said.status, "There is: forget, tell, sync, backup." in said.err) == (2, True)
    assert "CITEWELL_DIGEST" in indexed.type("schedule", "run", "digest").err
    shutil.rmtree(indexed.data / "backups")
    (indexed.data / "backups").touch()
    assert indexed.type("schedule", "run", "backup").status == 2


def test_what_was_asked_in_a_terminal_is_said_to_be_in_no_insights(indexed: Terminal) -> None:
    indexed.type("ask", "What does travel cost?")
    assert "what is asked in a terminal is not kept" in " ".join(indexed.type("insights").out.split())


def test_keys_are_made_shown_once_listed_and_revoked_and_the_audit_says_so(indexed: Terminal) -> None:
    made = indexed.type("keys", "add", "intranet search", "--collection", "default").out
    secret, said = made.splitlines()[:2]
    assert secret.startswith("cw_")
    assert "It is not shown again" in made
    assert "finds default" in said
    assert secret not in indexed.type("keys", "list").out
    assert indexed.type("keys", "add", "intranet search").status == 2
    assert "is revoked" in indexed.type("keys", "revoke", "intranet search").out
    assert "revoked 20" in indexed.type("keys", "list").out
    assert indexed.type("keys", "revoke", "intranet search").status == 2
    audit = indexed.type("audit").out
    assert "make a key" in audit
    assert "revoke a key" in audit
