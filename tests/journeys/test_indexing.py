"""Index files and folders, one inside the other, and look at what is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.citewell import Citewell
from pipeline.errors import Refused
from pipeline.values import Audience

pytestmark = pytest.mark.usefixtures("documents")


async def indexed(citewell: Citewell) -> dict[str, str]:
    """File name -> collection; a file that is there twice fails."""
    listed = await citewell.storage.library.list_documents()
    found = {Path(document.filename).name: document.collection for document in listed}
    assert len(found) == len(listed)
    return found


@pytest.mark.parametrize("file_first", [True, False])
async def test_a_file_and_its_folder_hold_one_document_that_goes_with_the_file(
    citewell: Citewell, tmp_path: Path, file_first: bool
) -> None:
    folder = tmp_path / "team"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nThe office opens at nine.\n")
    (folder / "deep" / "b.md").write_text("# B\n\nThe canteen opens at noon.\n")
    order = [[folder / "a.md", folder / "deep" / "b.md"], [folder]]
    for paths in order if file_first else order[::-1]:
        await citewell.index(paths)
    assert {"a.md", "b.md"} < (await indexed(citewell)).keys()

    (folder / "a.md").unlink()
    (folder / "deep" / "b.md").unlink()
    assert (await citewell.index([folder])).removed == 2
    assert {"a.md", "b.md"}.isdisjoint(await indexed(citewell))


async def test_a_folder_indexed_into_its_own_collection_stays_there_when_the_one_around_it_is_indexed(
    citewell: Citewell, tmp_path: Path
) -> None:
    folder = tmp_path / "team"
    (folder / "hr").mkdir(parents=True)
    (folder / "open.md").write_text("# Open\n\nThe office opens at nine.\n")
    (folder / "hr" / "secret.md").write_text("# Pay\n\nThe pay scale has eight steps.\n")
    await citewell.index([folder / "hr"], collection="hr")
    await citewell.index([folder])
    assert (await indexed(citewell))["secret.md"] == "hr"

    (folder / "hr" / "secret.md").write_text("# Pay\n\nThe pay scale has nine steps.\n")
    (folder / "hr" / "more.md").write_text("# Grades\n\nThere are six grades.\n")
    summary = await citewell.index([folder])
    assert (summary.added, summary.changed) == (1, 1)
    assert (await indexed(citewell))["more.md"] == "hr"


async def test_what_was_closed_stays_closed_when_it_is_missing_for_a_while(citewell: Citewell, tmp_path: Path) -> None:
    folder = tmp_path / "team"
    secret = folder / "hr" / "secret.md"
    secret.parent.mkdir(parents=True)
    secret.write_text("# Pay\n\nThe pay scale has eight steps.\n")
    (folder / "open.md").write_text("# Open\n\nThe office opens at nine.\n")
    await citewell.index([secret.parent], collection="hr")
    await citewell.index([folder])
    text = secret.read_text()
    secret.unlink()
    await citewell.index([folder])
    assert "secret.md" not in await indexed(citewell)
    secret.parent.rmdir()
    await citewell.index([folder])
    await citewell.resync_paths()
    secret.parent.mkdir()
    secret.write_text(text)
    await citewell.index([folder])
    assert (await indexed(citewell))["secret.md"] == "hr"


async def test_a_file_that_became_unreadable_is_closed_with_its_folder_and_stays_so(
    citewell: Citewell, tmp_path: Path
) -> None:
    folder = tmp_path / "team"
    (folder / "board").mkdir(parents=True)
    for name in ("a.md", "board/b.md", "board/c.md"):
        (folder / name).write_text(f"# {name}\n\nThe pay scale has eight steps.\n")
    await citewell.index([folder])
    (folder / "board" / "c.md").write_text("***")
    summary = await citewell.index([folder / "board"], collection="board")
    assert (summary.added, summary.changed, len(summary.failed)) == (0, 1, 1)
    closed = {"a.md": "default", "b.md": "board", "c.md": "board"}
    assert closed.items() <= (await indexed(citewell)).items()

    await citewell.index([folder / "board"], collection="hr")
    await citewell.resync_paths()
    assert closed | {"b.md": "hr", "c.md": "hr"} == {
        name: collection for name, collection in (await indexed(citewell)).items() if name in closed
    }
    answer = await citewell.storage.index.search_lexical(
        ["pay", "scale"], Audience(collections=frozenset({"default"})), 9
    )
    assert [hit.chunk_id.partition("#")[0].rpartition("/")[2] for hit in answer.hits] == ["a.md"]


async def test_a_path_that_was_mistyped_is_no_source(citewell: Citewell, tmp_path: Path) -> None:
    before = await citewell.storage.library.list_sources()
    with pytest.raises(Refused, match="does not exist"):
        await citewell.index([tmp_path / "tame"], collection="hr")
    assert await citewell.storage.library.list_sources() == before


async def test_two_files_of_lines_may_use_the_same_ids(citewell: Citewell, tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.jsonl").write_text(f'{{"doc_id": "leave.md", "text": "This is {name}."}}\n')
        await citewell.index([folder / f"{name}.jsonl"])
    (folder / "leave.md").write_text("# Leave\n\nThis is the leave policy.\n")
    summary = await citewell.index([folder])
    assert (summary.added, summary.unchanged, summary.failed) == (1, 2, ())


async def test_looking_again_by_the_clock_leaves_each_document_where_it_is(citewell: Citewell, tmp_path: Path) -> None:
    folder = tmp_path / "team"
    (folder / "hr").mkdir(parents=True)
    (folder / "open.md").write_text("# Open\n\nThe office opens at nine.\n")
    (folder / "hr" / "secret.md").write_text("# Pay\n\nThe pay scale has eight steps.\n")
    await citewell.index([folder])
    await citewell.index([folder / "hr"], collection="hr")
    before = await indexed(citewell)
    await citewell.resync_paths()
    assert await indexed(citewell) == before
    assert (before["open.md"], before["secret.md"]) == ("default", "hr")


async def test_looking_again_forgets_what_is_gone_but_not_all_of_a_source_at_once(
    citewell: Citewell, tmp_path: Path
) -> None:
    folder = tmp_path / "team"
    for name in ("hr/a.md", "hr/b.md", "share/c.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n\nThe office opens at nine.\n")
    for path in (folder / "hr", folder / "share", folder):
        await citewell.index([path])
    before = await indexed(citewell)
    (folder / "hr" / "a.md").unlink()
    (folder / "share" / "c.md").unlink()
    with capture_logs() as logs:
        await citewell.resync_paths()
    assert before.keys() - await indexed(citewell) == {"a.md"}
    share = (folder / "share").as_posix()
    (told,) = (entry for entry in logs if entry["event"] == "documents_not_removed")
    assert (told["source"], told["documents"]) == (share, 1)
    assert f"citewell index {share}" in told["what_to_do"]

    (folder / "share").rmdir()
    await citewell.resync_paths()
    assert "c.md" in await indexed(citewell)
    await citewell.index([folder])
    assert "c.md" not in await indexed(citewell)


async def test_a_key_that_turns_up_while_nobody_watches_is_logged_with_its_document_and_not_itself(
    citewell: Citewell, tmp_path: Path
) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nThe office opens at nine.\n")
    await citewell.index([folder])
    (folder / "b.md").write_text("# B\n\nUse AKIA" + "QWERTYUIOPASDFGH.\n")
    with capture_logs() as logs:
        await citewell.resync_paths()
    (told,) = (entry for entry in logs if entry["event"] == "keys_in_document")
    assert (told["document"], told["forms"]) == ("b.md", "AWS access key")
    assert "QWERTY" not in str(logs)


async def test_a_source_that_cannot_be_looked_at_keeps_no_other_from_it(
    citewell: Citewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, broken, last = (tmp_path / name for name in ("a", "b", "c"))
    for folder in (first, broken, last):
        folder.mkdir()
        (folder / f"{folder.name}1.md").write_text("# One\n\nThe office opens at nine.\n")
        await citewell.index([folder])
        (folder / f"{folder.name}2.md").write_text("# Two\n\nThe canteen opens at noon.\n")
    exists, resolve = Path.exists, Path.resolve

    def refused(self: Path) -> bool:
        if self == first:
            raise PermissionError(13, "Permission denied")
        return exists(self)

    def looped(self: Path, strict: bool = False) -> Path:
        if self == broken:
            raise RuntimeError("Symlink loop")
        return resolve(self, strict)

    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(Path, "exists", refused)
        patch.setattr(Path, "resolve", looped)
        await citewell.resync_paths()
    assert {"a1.md", "b1.md", "c1.md", "c2.md"} <= (await indexed(citewell)).keys()
    assert "b2.md" not in await indexed(citewell)
    assert [entry["source"] for entry in logs if entry["event"] == "sync_failed"] == [broken.as_posix()]


async def test_what_may_not_be_read_is_reported_and_nothing_is_forgotten(citewell: Citewell, tmp_path: Path) -> None:
    folder = tmp_path / "team"
    (folder / "closed").mkdir(parents=True)
    for name in ("a.md", "b.md", "closed/c.md"):
        (folder / name).write_text(f"# {name}\n\nThe office opens at nine.\n")
    (folder / "lines.jsonl").write_text('{"doc_id": "one", "text": "The canteen opens at noon."}\n')
    await citewell.index([folder])
    before = await indexed(citewell)
    for name in ("a.md", "lines.jsonl", "closed"):
        (folder / name).chmod(0)
    if os.access(folder / "a.md", os.R_OK):
        pytest.skip("this user may read everything")
    summary = await citewell.index([folder])
    (folder / "closed").chmod(0o700)
    assert sorted(failure.label for failure in summary.failed) == sorted([folder.resolve().as_posix(), "a.md"])
    assert await indexed(citewell) == before
