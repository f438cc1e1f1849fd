"""What is particular to the terminal: what is shown meanwhile, a chat, what is kept, exit status."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest

from adapters.console import follow_answer
from pipeline.ports import answer_stream
from pipeline.values import AnswerEvent, AnswerStage, CitedSentence, ProgressEvent, SentenceEvent
from pipeline.words import wording
from tests.contracts.answers import cited, not_found
from tests.contracts.console_driver import ConsoleDriver, Terminal
from tests.contracts.rig import once
from tests.contracts.waiting import until


@pytest.fixture
async def console(tmp_path: Path) -> AsyncIterator[ConsoleDriver]:
    driver = await ConsoleDriver.open(tmp_path / "data")
    try:
        yield driver
    finally:
        await driver.close()


async def test_checked_sentences_are_shown_while_the_answer_is_written_and_the_answer_in_their_place() -> None:
    free = asyncio.Event()
    sentences = [CitedSentence(text=text, numbers=(1,)) for text in ("First.", "Second.")]

    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        yield ProgressEvent(stage=AnswerStage.WRITING)
        yield SentenceEvent(sentence=sentences[0], preface="The closest passage says:")
        await free.wait()
        yield cited(sentences=sentences)

    terminal = Terminal()
    following = asyncio.create_task(follow_answer(events(), terminal.console))
    await until(lambda: "First. [1]" in terminal.left())
    assert "The closest passage says:" in terminal.left()
    assert wording.PROGRESS[AnswerStage.WRITING] in terminal.left()
    free.set()
    assert (await following).sentences == tuple(sentences)
    assert terminal.left() == ""


async def test_an_answer_higher_than_the_screen_leaves_nothing_above_it() -> None:
    sentences = [CitedSentence(text=f"Rule {number}.", opens=True) for number in range(200)]

    @answer_stream
    async def events() -> AsyncGenerator[AnswerEvent, None]:
        for sentence in sentences:
            yield SentenceEvent(sentence=sentence)
        await asyncio.sleep(0.2)
        yield cited(sentences=sentences)

    terminal = Terminal()
    await follow_answer(events(), terminal.console)
    assert terminal.left() == ""


async def test_names_that_look_like_markup_are_shown_as_they_are(console: ConsoleDriver, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a [bold] b.md").write_text("# Leave [/bold] [link=https://evil.example]policy\n\nStaff get 30 days.\n")
    assert "1 added" in await console.run("index", str(folder))
    assert "Leave [/bold] [link=https://evil.example]policy" in await console.run("documents")
    assert await console.run("history", "show", "--thread", "[/bold]") == ""


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (cited("Thirty days."), 0),
        (not_found(), 1),
        (cited("There are no documents yet.", safety_flags=("empty_knowledge_base",)), 1),
    ],
    ids=["an answer", "none", "no documents"],
)
async def test_the_exit_status_says_whether_there_is_an_answer(
    console: ConsoleDriver, answer: AnswerEvent, status: int
) -> None:
    console.rig.script = lambda request: once(answer)  # type: ignore[arg-type]
    said = await console.mention("ann", "How much leave do I get?")
    await console.rig.settled()
    assert said.handle.status == status
