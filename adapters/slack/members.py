"""Check whether all members of a channel are inside. The list of people is read ahead, so that answers rarely wait for
it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog

from adapters.slack.events.incoming import is_external
from adapters.slack.web_client import CallPacer, SlackRefused, SlackWebClient, paginate_method
from pipeline.errors import CitewellError, Unavailable

log = structlog.get_logger(__name__)

MEMBERS_FRESH_SECONDS = 300.0
"""Seconds that a person's membership is cached."""
MEMBERS_REFRESH_AHEAD = 30.0
"""Seconds before that at which the list of people is read again."""
MEMBERS_RETRY_SECONDS = 10.0
MEMBERS_PAGE_SIZE = 500
"""People on a page."""
MEMBERS_BURST = 15
MEMBERS_PAUSE_SECONDS = 3.0
"""Seconds before each page after the first ones: Slack allows 20 pages of people a minute."""


@dataclass(frozen=True)
class _People:
    """Accounts of the workspace, not older than `begun` (loop time), and the channels checked since."""

    begun: float
    inside: frozenset[str]
    outside: frozenset[str]
    channels: dict[str, asyncio.Task[bool]] = field(default_factory=dict)


class SlackMembership:
    """Check of channels for guests. A doubt counts as outside: a missing scope, a failed call, a list that takes too
    long."""

    def __init__(self, web: SlackWebClient, team: str) -> None:
        self._web = web
        self._team = team
        self._people: _People | None = None
        self._newcomers: dict[tuple[str, str], float] = {}
        """When a person who is on no list yet joined a channel, by channel and person."""
        self._wanted = asyncio.Event()
        self._list_read = asyncio.Event()
        self._is_list_coming = True
        """True while a list is being read, or is about to be."""
        self._checks: set[asyncio.Task[bool]] = set()
        self._refresh_task: asyncio.Task[None] | None = None

    async def are_all_inside(self, channel: str) -> bool:
        """Return True if no member of `channel` is outside. Waits `SlackClientTimings.membership_timeout` at most."""
        try:
            async with asyncio.timeout(self._web.timings.membership_timeout):
                people = await self._fresh_list(channel)
                if not people:
                    return False
                if not people.outside:
                    return True
                if channel not in people.channels:
                    people.channels[channel] = self._start_check(channel, people)
                return await asyncio.shield(people.channels[channel])
        except TimeoutError:
            log.warning("slack_members_timeout", channel_counts_as="one with guests")
            return False

    async def on_member_joined(self, event: dict[str, Any]) -> None:
        """Check the channel again, after a new list if the list does not have the person."""
        channel, user = str(event.get("channel") or ""), str(event.get("user") or "")
        people = self._people
        if people:
            people.channels.pop(channel, None)
        if not people or (user not in people.inside and user not in people.outside):
            self._newcomers[channel, user] = asyncio.get_running_loop().time()
            self._is_list_coming = True
            self._wanted.set()

    def start_prefetch(self) -> None:
        """Keep the list of people from now on; otherwise from its first use."""
        self._refresh_task = self._refresh_task or asyncio.create_task(self._refresh())

    async def close(self) -> None:
        if self._refresh_task:
            self._refresh_task.cancel()
            await asyncio.wait({self._refresh_task})

    async def _refresh(self) -> None:
        """Read the list, and again before it is too old, until cancelled."""
        try:
            while True:
                self._wanted.clear()
                self._is_list_coming = True
                try:
                    rest = await self._read_list()
                except Exception:  # the next list may be one that can be read, and without one every channel is closed
                    log.exception("slack_people_not_read")
                    rest = MEMBERS_RETRY_SECONDS
                self._is_list_coming = self._wanted.is_set()
                self._list_read.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wanted.wait(), rest)
        finally:
            for task in self._checks:
                task.cancel()

    async def _fresh_list(self, channel: str) -> _People | None:
        """Return a fresh list that was read after the last newcomer joined the channel; None when none is coming."""
        self.start_prefetch()
        while True:
            joined = [at for (joined_channel, _), at in self._newcomers.items() if joined_channel == channel]
            oldest = max(asyncio.get_running_loop().time() - MEMBERS_FRESH_SECONDS, *joined, 0.0)
            if self._people and self._people.begun >= oldest:
                return self._people
            if not self._is_list_coming:
                return None
            self._list_read.clear()
            await self._list_read.wait()

    async def _read_list(self) -> float:
        """Read the list. Return the seconds until the next reading."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        inside: set[str] = set()
        outside: set[str] = set()
        try:
            async for page in self._pages("users.list"):
                for user in page:
                    (outside if is_external(user, self._team) else inside).add(str(user.get("id")))
        except CitewellError as error:
            log.warning("slack_people_not_listed", channels_count_as="ones with guests", reason=str(error))
            return MEMBERS_FRESH_SECONDS if isinstance(error, SlackRefused) else MEMBERS_RETRY_SECONDS
        listed = inside | outside
        self._newcomers = {key: at for key, at in self._newcomers.items() if key[1] not in listed}
        self._people = _People(begun, frozenset(inside), frozenset(outside | {user for _, user in self._newcomers}))
        return max(0.0, MEMBERS_FRESH_SECONDS - MEMBERS_REFRESH_AHEAD - 2 * (clock() - begun))

    def _start_check(self, channel: str, people: _People) -> asyncio.Task[bool]:
        task = asyncio.create_task(self._check_channel(channel, people))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)
        return task

    async def _check_channel(self, channel: str, people: _People) -> bool:
        """Return True if the list has every member as inside. Stops at the first page with another one."""
        try:
            async for page in self._pages("conversations.members", channel=channel):
                if not people.inside.issuperset(page):
                    return False
        except SlackRefused as refused:
            log.warning("slack_members_not_listed", channel_counts_as="one with guests", reason=str(refused))
            return False
        except Unavailable:
            people.channels.pop(channel, None)
            return False
        return True

    def _pages(self, method: str, **arguments: str) -> AsyncIterator[list[Any]]:
        return paginate_method(
            self._web,
            method,
            "members",
            CallPacer(MEMBERS_BURST, MEMBERS_PAUSE_SECONDS),
            limit=MEMBERS_PAGE_SIZE,
            **arguments,
        )
