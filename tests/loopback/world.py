"""The platform itself: channels, what is said in them, and who is told of it until they have taken it in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple

Mark = tuple[str, int]
"""A key, and which part of what is posted for it."""
NO_MARK: Mark = ("", 0)
HOUSE, BOT = "acme: main/site", "@the bot"
TEAM, HELP = "#team: a/b c", "#help: d/e f"


class Page(NamedTuple):
    """What a message of the bot shows. Nothing in its text is markup."""

    text: str
    links: frozenset[str] = frozenset()
    """Addresses that can be opened."""
    buttons: tuple[tuple[str, str], ...] = ()
    """Each with its action and what it carries."""
    files: tuple[tuple[str, str], ...] = ()
    pinged: str = ""


@dataclass(frozen=True)
class Said:
    id: str
    channel: str
    thread: str
    """The message that its thread begins with; itself where it begins one."""
    author: str
    at: datetime
    page: Page
    mark: Mark = NO_MARK
    """What the bot knows it by."""
    only: str = ""
    """Who alone sees it."""
    beside: str = ""
    """The message that it is shown beside, to one alone."""
    attached: Mapping[str, bytes] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()
    """Reactions."""
    number: int = 0
    """In the order in which everything was said."""


class Pressed(NamedTuple):
    """A button, a form or a command; told once."""

    action: str
    about: str
    person: str
    channel: str
    message: str = ""
    filled: Mapping[str, tuple[str, ...]] = {}


class Happened(NamedTuple):
    what: str
    """`said`, `edited`, `deleted`, `reacted`, `closed`, `pressed`."""
    message: Said | None = None
    channel: str = ""
    pressed: Pressed | None = None


class Lost(Exception):
    """What came of a request is not known. `wait`: the platform asks to wait so many seconds, and did nothing."""

    def __init__(self, wait: float | None = None) -> None:
        super().__init__("lost")
        self.wait = wait


class World:
    def __init__(self) -> None:
        self.members: dict[str, frozenset[str] | None] = {TEAM: None, HELP: None}
        """Who is in a channel; None of one that everybody reads."""
        self.messages: dict[str, Said] = {}
        self.news: deque[Happened] = deque()
        """What the bot has not taken in."""
        self.signs = 0
        """How much of the bot was ever to be seen."""
        self.working: set[str] = set()
        self.forms: list[object] = []
        self.fault = ""
        self.groups: dict[str, set[str]] = {}
        """Who is in each."""
        self.since = datetime.now(UTC)
        self._count = count(1)
        self._told = asyncio.Condition()

    # --- What the bot is told, and does --------------------------------------------------------

    async def events(self) -> AsyncIterator[Happened]:
        """Each again until the next one is asked for."""
        while True:
            async with self._told:
                await self._told.wait_for(lambda: bool(self.news))
            yield self.news[0]
            async with self._told:
                self.news.popleft()
                self._told.notify_all()

    async def taken(self) -> None:
        async with self._told:
            await self._told.wait_for(lambda: not self.news)

    def post(
        self,
        channel: str,
        thread: str,
        page: Page,
        *,
        mark: tuple[str, int] = ("", 0),
        only: str = "",
        beside: str = "",
    ) -> Said:
        """Raises Lost; without a channel PermissionError."""
        if channel not in self.members and not channel.startswith("~"):
            raise PermissionError(channel)
        if thread and not channel.startswith("~") and thread not in self.messages:
            raise KeyError(thread)
        fault = "" if only or (self.fault == "refused" and channel != TEAM) else self.fault
        self.fault = "" if fault and fault not in ("out_of_reach", "refused") else self.fault
        if fault == "refused":
            raise PermissionError(channel)
        if fault in ("lost_request", "limited", "out_of_reach"):
            raise Lost(0.5 if fault == "limited" else None)
        self.signs += 1
        made = self.write(BOT, channel, page.text, thread=thread)
        self.messages[made.id] = made = replace(made, page=page, mark=mark, only=only, beside=beside)
        if fault == "lost_response":
            raise Lost
        return made

    def change(self, name: str, page: Page) -> None:
        """What is gone stays so."""
        if name in self.messages:
            self.signs += 1
            self.messages[name] = replace(self.messages[name], page=page)

    def sign(self, where: str) -> None:
        self.signs += 1
        self.working.add(where)

    def thread(self, message: Said) -> list[Said]:
        return [one for one in self.messages.values() if (one.channel, one.thread) == (message.channel, message.thread)]

    # --- What people do ------------------------------------------------------------------------

    def write(self, person: str, channel: str, text: str, *, thread: str = "", **more: object) -> Said:
        """A message that nobody is told of."""
        number = next(self._count)
        name = f"{channel} / no: {number}"
        made = Said(name, channel, thread or name, person, datetime.now(UTC), Page(text), number=number, **more)  # type: ignore[arg-type]
        self.messages[name] = made
        return made

    async def say(self, person: str, channel: str, text: str, **more: object) -> Said:
        made = self.write(person, channel, text, **more)  # type: ignore[arg-type]
        await self.tell(Happened("said", made))
        return made

    async def tell(self, happened: Happened) -> None:
        """Returns once the bot has taken it in."""
        async with self._told:
            self.news.append(happened)
            self._told.notify_all()
        await self.taken()
