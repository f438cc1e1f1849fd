"""Every citation can be opened: each kind of document at the cited passage, by the same link everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.commands.app import app
from bot.config.read import read_settings
from bot.wiring import open_citewell
from pipeline.values import AnswerOutcome
from tests.doubles.page import URL, OpenPage, Seen, open_page, with_page
from tests.doubles.reader import ReaderHere
from tests.doubles.settings import extractive
from tests.unit.adapters.surfaces import Console, Discord, Slack, Surface

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


@pytest.fixture
async def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenPage]:
    monkeypatch.setattr("bot.documents.indexing.FileReader", ReaderHere)
    async with open_page(with_page(tmp_path / "data")) as page:
        await page.citewell.index([HANDBOOK])
        yield page


@pytest.mark.parametrize(
    ("question", "file", "marked", "place"),
    [
        ("How many days of paid vacation do full-time employees get?", "vacation.md", "28 days", ""),
        (
            "What do I open from the start menu to connect to the VPN?",
            "laptop-setup.pdf",
            "Open the VPN client",
            "page 2",
        ),
        ("How many unpaid days off may contractors take?", "contractor-terms.docx", "20 unpaid days off", ""),
        ("What is the daily rate for meals in Denmark?", "travel-rates.xlsx", "Denmark", "sheet Daily rates"),
    ],
)
async def test_each_kind_of_document_opens_at_the_cited_passage(
    handbook: OpenPage, question: str, file: str, marked: str, place: str
) -> None:
    answer = await handbook.citewell.answer(question)
    citation = next(one for one in answer.sources if one.filename == file)
    opened = await handbook.get(citation.url)
    seen = Seen.of(opened.text)
    assert opened.status_code == 200
    assert any(marked in text for text in seen.marked)
    assert place in seen.text.partition("Cited passage")[0]
    assert citation.url.endswith("#cited")
    assert [one["id"] for one in seen.all("mark") if "id" in one] == ["cited"]


async def test_nothing_but_the_links_is_another_without_the_page(handbook: OpenPage) -> None:
    settings = handbook.citewell.settings
    question = "What is the daily rate for meals in Denmark?"
    linked = await handbook.citewell.answer(question)
    async with open_citewell(extractive(settings.data, embedder="none")) as without:
        plain = await without.answer(question)
    assert {one.url for one in linked.sources} != {""} == {one.url for one in plain.sources}
    alike = {"id", "usage"}
    whole, bare = linked.model_dump(exclude=alike), plain.model_dump(exclude=alike)
    for told in (whole, bare):
        for citation in (*told["citations"], *told["nearest"]):
            del citation["url"]
    assert whole == bare


@pytest.mark.parametrize("surface", [Slack(), Discord(), Console()], ids=["slack", "discord", "console"])
@pytest.mark.parametrize("question", ["What is the daily rate for meals in Denmark?", "Do llamas get a locker?"])
async def test_the_same_link_is_shown_everywhere(handbook: OpenPage, surface: Surface, question: str) -> None:
    answer = await handbook.citewell.answer(question)
    assert answer.outcome in (AnswerOutcome.ANSWERED, AnswerOutcome.NOT_FOUND)
    links = {one.url for one in answer.sources}
    assert all(link.startswith(f"{URL}/s/") and len(link) < 300 for link in links)
    shown = [link for seen in surface.answer(answer, []) for link in seen.links]
    assert links <= set(shown)


def test_the_terminal_links_too_and_rotating_the_key_closes_what_was_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {"WEB": "127.0.0.1:8080", "WEB_URL": URL, "EMBEDDER": "none", "MODEL": "extractive"}.items():
        monkeypatch.setenv(f"CITEWELL_{name}", value)
    (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 25 vacation days a year.\n")
    cli = CliRunner()
    assert cli.invoke(app, ["index", "leave.md"]).exit_code == 0
    ask = ["ask", "How many vacation days do employees get?"]

    def link() -> str:
        told = "".join(cli.invoke(app, ask).stdout.split())
        return told.partition(f"{URL}/s/")[2].partition("#cited")[0]

    async def opens(token: str) -> bool:
        async with open_page(read_settings()) as page:
            return "25 vacation days" in (await page.get(f"{URL}/s/{token}")).text

    before = link()
    assert asyncio.run(opens(before))
    assert cli.invoke(app, ["links", "rotate"], input="n\n").exit_code == 1
    assert asyncio.run(opens(before))
    rotated = cli.invoke(app, ["links", "rotate", "--yes"])
    assert (rotated.exit_code, "no longer work" in rotated.stdout) == (0, True)
    assert not asyncio.run(opens(before))
    assert asyncio.run(opens(link()))
