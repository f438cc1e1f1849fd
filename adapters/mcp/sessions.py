"""Which sessions are open and whose they are: nobody's keep anybody else from beginning one."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

SESSIONS = 500
"""Open at once."""
EACH = 100
"""Open at once of one caller."""
HEADER = b"mcp-session-id"
End = Callable[[str, str], Awaitable[None]]
"""Ends a session: its id, its caller."""


class Full(Exception):
    """All sessions that could be ended are at work."""


@dataclass(eq=False)
class Session:
    caller: str
    id: str = ""
    """Empty before it is begun, and when it has ended."""
    at_work: int = 0
    """Requests that are being answered."""

    def answered(self, method: str, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """What the head of an answer says of it."""
        if status == 404 or (method == "DELETE" and status < 400):
            self.id = ""
        elif status < 400 and not self.id:
            self.id = next((value.decode("latin-1") for name, value in headers if name.lower() == HEADER), "")


class Sessions:
    """Where one more is too many, the one ends that was idle longest, of whoever begins it or, if all together are too
    many, of whoever has the most: most of these were left behind by editors that are closed."""

    def __init__(self, end: End, *, most: int = SESSIONS, each: int = EACH) -> None:
        self._end = end
        self._most = most
        self._each = each
        self._open: dict[Session, None] = {}
        """The one that was used last is the last."""

    @asynccontextmanager
    async def entered(self, caller: str, session_id: str) -> AsyncIterator[Session]:
        """A request of a session, or without an id one that may begin a session. Raises Full."""
        session = next((one for one in self._open if session_id and (one.id, one.caller) == (session_id, caller)), None)
        new = session is None and not session_id
        session = session or Session(caller)
        session.at_work += 1
        try:
            if new:
                await self._make_room(session)
            yield session
        finally:
            session.at_work -= 1
            self._open.pop(session, None)
            if session.id:
                self._open[session] = None

    async def _make_room(self, new: Session) -> None:
        self._open[new] = None
        try:
            ended = list(self._ended_for(new.caller))
        except Full:
            del self._open[new]
            raise
        for session in ended:
            await self._end(session.id, session.caller)

    def _ended_for(self, caller: str) -> Iterator[Session]:
        while callers := self._having_too_many(caller):
            idle = (one for most in callers for one in self._open if one.caller == most and one.id and not one.at_work)
            session = next(idle, None)
            if session is None:
                raise Full
            del self._open[session]
            yield session

    def _having_too_many(self, caller: str) -> list[str]:
        """Whose sessions may be ended for one of `caller`, first who has the most; nobody's while there is room."""
        counts = Counter(one.caller for one in self._open)
        if counts[caller] > self._each:
            return [caller]
        if len(self._open) > self._most:
            return [other for other, count in counts.most_common() if count >= counts[caller]]
        return []
