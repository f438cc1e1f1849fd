"""A repository is followed without trusting it, its host or the files of configuration around it."""

from __future__ import annotations

import asyncio
import base64
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.sources.git import GitRepository, GitSource
from pipeline.errors import Misconfigured, Refused, Unavailable
from storage.documents.source_state import SQLSourceMemory
from storage.sqlite.database import SQLiteDatabase
from tests.doubles.git import Repository, git, repository
from tests.doubles.reader import ReaderHere


class Clone:
    def __init__(self, served: Repository, folder: Path, memory: SQLSourceMemory) -> None:
        self.served = served
        self.folder = folder
        self.memory = memory
        self.reader = ReaderHere()

    def source(
        self, *, branch: str = "", paths: Sequence[str] = (), token: str = "", url: str = "", private: bool = True
    ) -> GitSource:
        at = url or self.served.url
        command = GitRepository(self.folder, at, token=token, private=private)
        return GitSource("book", at, command, self.memory, self.reader, self.folder, branch=branch, paths=paths)

    async def labels(self, source: GitSource | None = None) -> list[str]:
        return [item.label async for item in (source or self.source()).list_items()]

    async def texts(self) -> list[str]:
        source = self.source()
        parsed = [await source.parse_item(item) async for item in source.list_items()]
        return [block.text for one in parsed for block in one.blocks]

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.served.tree / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".md").write_text(text)
        self.served.commit()


@pytest.fixture
async def clone(tmp_path: Path) -> AsyncIterator[Clone]:
    (tmp_path / "server").mkdir()
    database = await SQLiteDatabase.open(tmp_path / "c.db")
    async with repository(tmp_path / "server") as served:
        found = Clone(served, tmp_path / "clone", SQLSourceMemory(database, "git:book"))
        found.write(one="One.", docs__two="Two.", docs__three="Three.", other__four="Four.")
        yield found
        await found.reader.close()
    await database.close()


async def test_without_a_new_commit_the_host_is_asked_once_and_with_one_only_what_changed_is_sent(clone: Clone) -> None:
    (clone.served.tree / "picture.png").write_bytes(random.randbytes(200_000))
    clone.served.commit()
    before = {item.id: item.version async for item in clone.source().list_items()}
    assert clone.served.sent > 200_000
    assert sorted(before) == ["book/docs/three.md", "book/docs/two.md", "book/one.md", "book/other/four.md"]
    clone.served.outage.paths.clear()
    await clone.labels()
    assert len(clone.served.outage.paths) == 2
    clone.write(one="Another.")
    clone.served.sent = 0
    after = {item.id: item.version async for item in clone.source().list_items()}
    assert {item for item in after if after[item] != before[item]} == {"book/one.md"}
    assert clone.served.sent < 10_000
    assert len(git(clone.folder, "--git-dir=git", "rev-list", "--all").split()) == 1


async def test_only_the_paths_that_were_asked_for_are_fetched(clone: Clone) -> None:
    assert await clone.labels(clone.source(paths=["docs/", "one.md"])) == ["docs/three.md", "docs/two.md", "one.md"]
    four = git(clone.served.tree, "rev-parse", "HEAD:other/four.md").strip()
    there = git(clone.folder, "--git-dir=git", "cat-file", "--batch-all-objects", "--batch-check", "--unordered")
    assert four not in there
    assert await clone.labels(clone.source(paths=["other"])) == ["other/four.md"]
    assert len(await clone.labels()) == 4


async def test_another_branch_a_rewritten_one_and_one_that_is_not_there(clone: Clone) -> None:
    git(clone.served.tree, "checkout", "--quiet", "-b", "next/one")
    clone.write(five="Five.")
    assert "five.md" in await clone.labels(clone.source(branch="next/one"))
    assert "five.md" not in await clone.labels()
    git(clone.served.tree, "checkout", "--quiet", "--orphan", "clean")
    git(clone.served.tree, "rm", "--quiet", "-rf", "docs")
    git(clone.served.tree, "commit", "--quiet", "-m", "Anew")
    git(clone.served.tree, "push", "--quiet", "--force", "origin", "clean:main")
    assert "docs/two.md" not in await clone.labels()
    with pytest.raises(Refused, match="no branch gone"):
        await clone.labels(clone.source(branch="gone"))


async def test_what_a_killed_git_left_behind_is_no_hindrance(clone: Clone) -> None:
    await clone.labels()
    for name in ("index.lock", "shallow.lock", "config.lock"):
        (clone.folder / "git" / name).touch()
    (clone.folder / "tree" / "one.md").write_text("Half of")
    (clone.folder / "tree" / "half.md").write_text("Never committed.")
    await clone.memory.update({"tree": None})
    clone.write(six="Six.")
    assert sorted(await clone.texts()) == ["Four.", "One.", "Six.", "Three.", "Two."]


async def test_a_clone_that_was_broken_or_removed_is_made_anew(clone: Clone) -> None:
    await clone.labels()
    for number, file in enumerate((clone.folder / "git" / "objects" / "pack").iterdir()):
        file.chmod(0o600)
        file.write_bytes(b"broken" * number)
    clone.write(one="Another.")
    assert "Another." in await clone.texts()


async def test_links_lead_nowhere_and_hooks_submodules_and_filters_do_nothing(clone: Clone, tmp_path: Path) -> None:
    (secret := tmp_path / "secret.md").write_text("Secret.")
    (clone.served.tree / "link.md").symlink_to(secret)
    (clone.served.tree / ".gitattributes").write_text("*.md filter=evil\n")
    (clone.served.tree / ".gitmodules").write_text(f'[submodule "s"]\n\tpath = s\n\turl = {tmp_path}\n')
    clone.served.commit()
    assert "Secret." not in await clone.texts()
    assert "link.md" in str((await _skipped(clone)).items())


async def _skipped(clone: Clone) -> dict[str, str]:
    source = clone.source()
    async for _ in source.list_items():
        pass
    return source.skipped


async def test_a_private_network_is_refused_before_anything_is_sent(clone: Clone) -> None:
    with pytest.raises(Refused, match="must not be fetched from"):
        await clone.labels(clone.source(private=False))
    assert clone.served.outage.requests == 0


async def test_a_name_is_resolved_once_and_git_connects_to_what_was_checked(clone: Clone) -> None:
    port = clone.served.url.split(":")[2].split("/")[0]
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    at = f"http://git.invalid:{port}/team.git"
    source = GitSource(
        "book",
        at,
        GitRepository(clone.folder, at, private=True, resolve=resolve),
        clone.memory,
        clone.reader,
        clone.folder,
    )
    assert len(await clone.labels(source)) == 4
    assert set(asked) == {"git.invalid"}


@pytest.mark.parametrize(
    "at",
    [
        "http://127.0.0.1./team.git",
        "http://xn--80ak6aa92e.münchen/team.git",
        "http://%31%32%37.0.0.1/team.git",
        "http://2130706433/team.git",
        "http://0x7f.1/team.git",
        "http://[::1]/team.git",
        "http://[::ffff:127.0.0.1]/team.git",
        "http://169.254.169.254/team.git",
        "http://localhost/team.git",
    ],
)
async def test_forms_of_forbidden_addresses_are_refused_before_git_connects(clone: Clone, at: str) -> None:
    with pytest.raises(Refused, match=r"must not be fetched from|is not a host name"):
        await clone.labels(clone.source(url=at, private=False))


async def test_a_token_is_sent_in_a_header_to_its_host_alone_and_is_written_nowhere(clone: Clone) -> None:
    clone.served.token = "Basic " + base64.b64encode(b"x-access-token:s3cret").decode()
    for token in ("", "wrong"):
        with pytest.raises(Unavailable, match="does not let git read"):
            await clone.labels(clone.source(token=token))
    assert len(await clone.labels(clone.source(token="s3cret"))) == 4
    encoded = clone.served.token.split()[1]
    for file in clone.folder.rglob("*"):
        assert not file.is_file() or (b"s3cret" not in file.read_bytes() and encoded.encode() not in file.read_bytes())


def command_lines() -> bytes:
    """Of all processes on this machine."""
    told = b""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            told += process.read_bytes()
    return told


async def test_a_token_is_in_no_command_line_that_others_on_the_machine_see(clone: Clone) -> None:
    clone.served.token = "Basic " + base64.b64encode(b"x-access-token:s3cret").decode()
    reading, seen = asyncio.create_task(clone.labels(clone.source(token="s3cret"))), b""
    while not reading.done():
        seen += await asyncio.to_thread(command_lines)
    assert len(await reading) == 4
    assert b"ls-remote" in seen
    assert b"s3cret" not in seen
    assert clone.served.token.split()[1].encode() not in seen


async def test_another_address_is_not_followed(clone: Clone) -> None:
    clone.served.redirect_to = "http://127.0.0.1:9"
    with pytest.raises(Refused, match="another address"):
        await clone.labels()


async def test_a_host_that_is_down_is_unavailable_and_a_repository_that_is_not_there_is_refused(clone: Clone) -> None:
    clone.served.outage.fail_after(0)
    with pytest.raises(Unavailable, match="git: ls-remote"):
        await clone.labels()
    clone.served.outage.fail_after(None)
    with pytest.raises(Unavailable, match="no such repository"):
        await clone.labels(clone.source(url=clone.served.url.replace("team", "gone")))


async def test_files_of_this_machine_are_read_only_where_that_is_meant(clone: Clone) -> None:
    at = (clone.served.folder / "team.git").as_uri()
    assert len(await clone.labels(clone.source(url=at))) == 4
    with pytest.raises((Refused, Unavailable)):
        await clone.labels(clone.source(url=at, private=False))


async def test_the_folder_may_be_a_relative_one(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone.folder.parent)
    clone.folder = Path(clone.folder.name)
    assert len(await clone.labels()) == 4


async def test_without_git_the_operator_is_told(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (nothing := tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(nothing))
    with pytest.raises(Misconfigured, match="not installed"):
        await clone.labels()


async def test_a_tree_of_too_many_files_is_not_checked_out(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.sources.git.MAX_REPOSITORY_FILES", 3)
    with pytest.raises(Refused, match="more than 3 files"):
        await clone.labels()
    assert not list((clone.folder / "tree").iterdir())
    assert await clone.labels(clone.source(paths=["docs"])) == ["docs/three.md", "docs/two.md"]


async def test_a_repository_that_lists_without_end_is_left(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.sources.git.MAX_GIT_OUTPUT", 5)
    with pytest.raises(Refused, match="output about the repository is too long"):
        await clone.labels()
