"""A person at a terminal: the real command line over a real data folder, on a terminal that is only looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any, Self, TypeVar
from unittest.mock import patch

from typer.testing import CliRunner

from bot.commands import ask, documents, history, indexing
from bot.commands import terminal as terminal_of_commands
from bot.commands.app import app
from bot.commands.terminal import PipeConsole
from pipeline.ports import AnswerStream, answer_stream
from pipeline.respond import Responder
from pipeline.rules.access import OPERATOR
from pipeline.values import Answer, AnswerEvent, AnswerRequest, ProgressEvent, SentenceEvent, replace
from pipeline.words import wording
from storage.open import open_storage
from tests.contracts.driver import NO_FILES, Said, Shown, Way
from tests.contracts.rig import Rig
from tests.doubles import terminal

T = TypeVar("T")

WIDTH, HEIGHT = 160, 50
THREAD = "team"
ABSENT: Mapping[Way, str] = {
    Way.INBOX: "a command that is cut off has no answer to post later, and nobody sends its question twice",
    Way.THREADS: "nobody else is there",
    Way.PLACES: "whoever holds the data folder reads alone, and may see all of it",
    Way.PRIVATE: "every answer is private",
    Way.MENU: "there are no messages of others",
    Way.SHARE: "there is no channel to share in",
    Way.EDIT: "a question is answered as soon as it is typed",
    Way.BUTTONS: "nothing can be pressed: passages and parts are asked for with --passages and --why",
    Way.RATE: "nothing can be pressed",
    Way.PREFERENCES: "each command is told with --style, and settings hold for all of them",
    Way.SETUP: "whoever holds the terminal writes citewell.toml",
    Way.HANDOFF: "there is nobody else",
    Way.TELL: "nothing can be told later to whoever has closed the terminal",
    Way.INSIGHTS: "whoever holds the terminal has `citewell insights`",
    Way.STOP: "there is nobody else",
    Way.SUMMARY: "there is nobody else",
    Way.WHISPER: "there is nobody else",
    Way.SHARED_CHANNEL: "there are no channels",
    Way.TALK: "nobody says anything to others",
    Way.SEARCH: "there is nothing to search but the documents",
    Way.FILES: "nothing can be attached",
    Way.KNOWLEDGE: "whoever is at the terminal indexes files there",
    Way.PRETEND: "there is one person",
    Way.ATTACHMENTS: "what a terminal shows can be redirected into a file",
    Way.NAMES: "a question is plain text",
    Way.FORWARDS: "there are no messages of others",
    Way.TITLES: "a question has none",
    Way.PROGRAMS: "programs have the API",
    Way.WORKFLOWS: "programs have the API",
    Way.FAULTS: "nothing is posted over a network",
}
"""What a terminal has not, and why: the rows of the suite that do not apply to it."""


class ConsoleDriver:
    """Asks with `citewell ask`, each question a command of its own."""

    absent = ABSENT

    def __init__(self, folder: Path) -> None:
        self.rig = CommandRig(folder, self)
        self._stack = ExitStack()
        self._commands: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, folder: Path) -> Self:
        driver = cls(folder)
        async with open_storage(folder):
            pass  # a question makes no data folder
        driver._stack.enter_context(patch.object(Responder, "_walk", scripted(driver.rig)))
        driver._stack.enter_context(patch("bot.log.configure_logging"))
        return driver

    async def close(self) -> None:
        await self.rig.settled()
        self._stack.close()

    # --- Asking -------------------------------------------------------------------------------

    async def mention(self, person: str, text: str) -> Said:
        return self._type(person, text)

    async def direct(self, person: str, text: str, *, files: Mapping[str, bytes] = NO_FILES) -> Said:
        return self._type(person, text)

    async def follow_up(self, person: str, text: str, after: Said) -> Said:
        return self._type(person, text)

    def _type(self, person: str, text: str, *options: str) -> Said:
        return Said(person, self._start("ask", text, "--thread", THREAD, *options))

    # --- Seeing -------------------------------------------------------------------------------

    def replies(self, said: Said) -> list[Shown]:
        return [self.seen(said.handle)] if said.handle.done else []

    def seen(self, command: Command) -> Shown:
        seen = command.out.look()
        return Shown(text=seen.text, links=seen.links, pings=seen.obeyed)

    def at_work(self, said: Said) -> bool:
        left = said.handle.err.left()
        return any(line in left for line in wording.PROGRESS.values())

    def seen_at(self, said: Said) -> str:
        return f"{said.handle.err.left()}\n{said.handle.out.left()}"

    # --- Acting -------------------------------------------------------------------------------

    async def passages(self, said: Said, person: str, *, clicks: int = 1) -> list[Shown]:
        return await self._again(said, "--passages")

    async def why(self, said: Said, person: str) -> list[Shown]:
        return await self._again(said, "--why")

    async def _again(self, said: Said, option: str) -> list[Shown]:
        asked = self._type(said.person, said.handle.question, option)
        await self.rig.settled()
        return self.replies(asked)

    async def export(self, person: str) -> str:
        return await self.run("history", "export", self.key(person))

    async def forget(self, person: str) -> None:
        await self.run("history", "forget", self.key(person), "--yes")

    def key(self, person: str) -> str:
        return OPERATOR

    def alone(self, person: str) -> str:
        return self.key(person)

    # --- Commands -----------------------------------------------------------------------------

    async def run(self, *arguments: str, typed: str = "") -> str:
        """A command from its start to its end; what it printed."""
        command = self._start(*arguments, typed=typed)
        await self.rig.settled()
        return command.out.look().text

    def _start(self, *arguments: str, typed: str = "") -> Command:
        command = Command(arguments, typed)
        for module in (ask, documents, history, indexing, terminal_of_commands):
            self._stack.enter_context(patch.object(module, "out", command.out.console))
        for module in (ask, indexing, terminal_of_commands):
            self._stack.enter_context(patch.object(module, "err", command.err.console))
        self._commands.add(asyncio.create_task(asyncio.to_thread(command.run, self.rig.folder)))
        return command

    async def settled(self) -> None:
        """Wait until every command that was started has ended; what none of them should raise is raised here."""
        commands, self._commands = self._commands, set()
        await asyncio.gather(*commands)


class ChatDriver(ConsoleDriver):
    """Asks in `citewell chat`, each question in a chat of its own on the same thread."""

    def _type(self, person: str, text: str, *options: str) -> Said:
        return Said(person, self._start("chat", "--thread", THREAD, *options, typed=f"{text}\n\n"))

    def seen(self, command: Command) -> Shown:
        shown = super().seen(command)
        _, _, conversation = shown.text.partition("\n> ")
        return Shown(conversation.removesuffix(">").rstrip(), shown.links, shown.pings)


class Terminal:
    """A terminal that is only looked at."""

    def __init__(self) -> None:
        self._file = StringIO()
        self.console = PipeConsole(
            file=self._file,
            force_terminal=True,
            color_system="truecolor",
            width=WIDTH,
            height=HEIGHT,
            highlight=False,
            _environ={"TERM": "xterm-256color"},
        )

    def look(self) -> terminal.Look:
        """Everything that was ever written."""
        return terminal.look(self._file.getvalue(), WIDTH)

    def left(self) -> str:
        """What is there now."""
        return terminal.screen(self._file.getvalue(), HEIGHT)


class Command:
    """One command, its output on one terminal and what it says aside on another."""

    def __init__(self, arguments: Sequence[str], typed: str) -> None:
        self.arguments = arguments
        self.typed = typed
        self.out, self.err = Terminal(), Terminal()
        self.status = -1

    @property
    def question(self) -> str:
        return self.typed.strip() or self.arguments[1]

    @property
    def done(self) -> bool:
        return self.status >= 0

    def run(self, folder: Path) -> None:
        environment = {"CITEWELL_DATA": str(folder), "CITEWELL_MODEL": "extractive", "CITEWELL_EMBEDDER": "none"}
        ended = CliRunner().invoke(app, self.arguments, input=self.typed, env=environment, catch_exceptions=False)
        self.status = ended.exit_code


class CommandRig(Rig):
    """Around every command, with the thinking scripted in the test's own loop; all else of the command is real."""

    def __init__(self, folder: Path, driver: ConsoleDriver) -> None:
        super().__init__(folder)
        self._driver = driver
        self.desk = _Desk(driver)  # type: ignore[assignment] # only what the suite asks of it

    async def settled(self) -> None:
        async with asyncio.timeout(90):
            await self._driver.settled()

    async def hold(self, answer: Answer) -> None:
        """Nothing is open between two commands, and none of them looks a past answer's passages up."""


def scripted(rig: Rig) -> Callable[..., AnswerStream]:
    """In the place of `Responder._walk`: the rig's events, made in the test's own loop; the turn is recorded."""
    loop = asyncio.get_running_loop()

    @answer_stream
    async def walk(responder: Responder, request: AnswerRequest, answer_id: str) -> AsyncGenerator[AnswerEvent, None]:
        stream = rig.respond(request)
        while event := await _elsewhere(_next(stream), loop):
            yield event
        answer = await _elsewhere(stream.answer(), loop)
        await responder._record(request, replace(answer, standalone=request.text))
        yield answer

    return walk


async def _next(stream: AnswerStream) -> ProgressEvent | SentenceEvent | None:
    return await anext(stream, None)


async def _elsewhere(work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


class _Desk:
    """What the suite looks up behind the person's back, here by the person's own commands."""

    def __init__(self, driver: ConsoleDriver) -> None:
        self._driver = driver

    async def export_person(self, person: str) -> str:
        return await self._driver.run("history", "export", person)
