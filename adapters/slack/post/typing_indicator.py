"""Typing indicators: a status, or a reaction where Slack accepts none, and the stop button."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from adapters.slack.web_client import SlackRefused, SlackWebClient
from pipeline.errors import Unavailable
from pipeline.translations import ENGLISH_TRANSLATOR, TranslatableText, Translator
from pipeline.values import AnswerStage, ProgressEvent
from pipeline.words import wording

WORKING_REACTION = "eyes"
WORKING_STATUS = TranslatableText("is looking this up")
MAX_STATUS_LENGTH = 50
"""Characters of a line that Slack shows while an answer is on its way."""
UNSUPPORTED_ERRORS = frozenset(
    {"feature_disabled", "unknown_method", "missing_scope", "not_allowed_token_type", "not_agent_app"}
)
"""Errors that will not change while the process runs, so the call is not repeated."""


@dataclass(frozen=True)
class SlackIndicatorTarget:
    """The place of a reply: its channel and thread, the question's ts, and the asker."""

    channel: str
    thread: str
    """Empty outside a thread: in private, where the question stands elsewhere."""
    ts: str
    user: str
    is_silent: bool = False
    """True where nothing shows before the answer is complete."""

    @property
    def message_arguments(self) -> dict[str, str]:
        """The arguments that send a message to the target."""
        return {"channel": self.channel, **({"thread_ts": self.thread} if self.thread else {})}


class TypingIndicators:
    """Typing indicators of any number of questions. None of them may delay or fail an answer."""

    def __init__(self, web: SlackWebClient) -> None:
        self.web = web
        self._unsupported: set[str] = set()

    @asynccontextmanager
    async def show(
        self, origin: SlackIndicatorTarget, translator: Translator = ENGLISH_TRANSLATOR, *, hidden: bool = False
    ) -> AsyncIterator[TypingIndicator]:
        """Show an indicator at `origin`, unless `hidden`; it is removed at the end."""
        sign = TypingIndicator(self, origin, translator, hidden=hidden)
        try:
            yield sign
        finally:
            await sign.clear()

    async def try_call(self, method: str, **arguments: Any) -> bool | None:
        """Return True if Slack accepted the call; None where that is unknown, and it may still take effect."""
        if method in self._unsupported:
            return False
        try:
            await self.web.call_now(method, **arguments)
        except SlackRefused as refused:
            if refused.error in UNSUPPORTED_ERRORS:
                self._unsupported.add(method)
            return refused.error == "already_reacted"
        except Unavailable:
            return None
        return True


class TypingIndicator:
    """The indicator at one question."""

    def __init__(
        self, presence: TypingIndicators, origin: SlackIndicatorTarget, translator: Translator, *, hidden: bool
    ) -> None:
        self._indicators = presence
        self._status = translator(WORKING_STATUS)
        self._translator = translator
        self._lines = self._work_lines = _to_lines(
            translator(text) for stage, text in wording.PROGRESS.items() if stage is not AnswerStage.WAITING
        )
        self._has_news = asyncio.Event()
        """Set while there are other lines to show than were sent last."""
        self._target = origin
        self._reacted = False
        self._has_session = False
        self._idle = asyncio.Event()
        """Set while no call is on its way."""
        self._idle.set()
        self._is_status_pending = False
        self._task = asyncio.create_task(self._show(hidden=hidden))

    def show_stage(self, event: ProgressEvent) -> None:
        """Show that an answer waits, and behind how many others, or that it does no longer."""
        is_waiting = event.stage is AnswerStage.WAITING
        lines = _to_lines(wording.progress_parts(event, self._translator)) if is_waiting else self._work_lines
        if lines != self._lines:
            self._lines = lines
            self._has_news.set()

    async def settle(self) -> bool:
        """Wait, a second at most, until no indicator is on its way: a status that arrives after the reply would
        stay. Return True where `clear` has nothing to remove."""
        try:
            async with asyncio.timeout(1.0):
                while not self._idle.is_set():
                    await self._idle.wait()
        except TimeoutError:
            self._is_status_pending = True
        self._task.cancel()
        return not (self._reacted or self._has_session or self._is_status_pending)

    async def clear(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})
        if self._reacted:
            await self._react("reactions.remove")
        if self._has_session:
            await self._set_session("active")
        if self._is_status_pending:
            await self._set_status("")

    async def _show(self, *, hidden: bool) -> None:
        if hidden:
            return
        await asyncio.sleep(self._indicators.web.timings.indicator_delay)
        if await self._show_status() is False:
            self._reacted = True
            self._reacted = await self._react("reactions.add") is not False
        await asyncio.sleep(self._indicators.web.timings.streaming_delay)
        self._has_session = True
        self._has_session = await self._set_session("processing") is not False
        while not self._reacted:
            await self._wait_for_news()
            await self._show_status()

    async def _wait_for_news(self) -> None:
        """Wait until there are other lines to show, or until Slack would drop those it has."""
        timings = self._indicators.web.timings
        pause = min(timings.stage_interval, timings.status_interval)
        await asyncio.sleep(pause)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timings.status_interval - pause):
                await self._has_news.wait()

    async def _show_status(self) -> bool | None:
        self._has_news.clear()
        accepted = await self._set_status(self._status, loading_messages=self._lines)
        self._is_status_pending = self._is_status_pending or accepted is None
        return accepted

    async def _react(self, method: str) -> bool | None:
        return await self._send(method, channel=self._target.channel, timestamp=self._target.ts, name=WORKING_REACTION)

    async def _set_status(self, status: str, **arguments: Any) -> bool | None:
        return await self._send_to_thread("assistant.threads.setStatus", status=status, **arguments)

    async def _set_session(self, status: str) -> bool | None:
        return await self._send_to_thread("agents.sessions.setStatus", status=status)

    async def _send_to_thread(self, method: str, **arguments: Any) -> bool | None:
        return await self._send(method, channel_id=self._target.channel, thread_ts=self._target.thread, **arguments)

    async def _send(self, method: str, **arguments: Any) -> bool | None:
        self._idle.clear()
        try:
            return await self._indicators.try_call(method, **arguments)
        finally:
            self._idle.set()


def _to_lines(texts: Iterable[str]) -> list[str]:
    return [text[:MAX_STATUS_LENGTH] for text in texts]
