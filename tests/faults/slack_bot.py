"""A bot for the crash runs: real adapter, worker and storage; only the answers are made up."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import structlog

from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import SlackSettings
from adapters.slack.web_client import SlackClientTimings
from bot.run.leader_election import LeaderElection
from bot.run.posting import RETRY_SECONDS
from bot.run.service import keep_listening
from bot.run.worker import Worker
from bot.services.answers import CitewellServices
from pipeline.ports import PlatformAdapter, answer_stream
from pipeline.values import (
    AnswerEvent,
    AnswerRequest,
    AnswerSettings,
    Audience,
    CitedSentence,
    IncomingMessage,
    MessageTrigger,
    SentenceEvent,
)
from storage.open import open_storage
from tests.contracts.answers import cited, hold
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN

PACE = SlackClientTimings(
    message_interval=0.0,
    indicator_delay=0.0,
    streams_per_minute=100_000,
    streaming_delay=0.005,
    timeout=1.0,
    history_interval=0.0,
)
GRACE = 1.6
"""Longer than a request may take and its effect may stay unseen."""
NOBODY = Audience(collections=frozenset())


class Thinking:
    """`slow` questions are answered sentence by sentence; `poison` ends the process, whatever else is under way. What
    stands behind a colon makes a question longer, and its answer not."""

    @answer_stream
    async def respond(self, request: AnswerRequest) -> AsyncGenerator[AnswerEvent, None]:
        if request.text.startswith("poison"):
            await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGKILL)
        asked, _, _ = request.text.partition(": ")
        parts = [CitedSentence(text=f"{word} {asked}.", numbers=(1,)) for word in ("First", "Then", "Last")]
        if request.text.startswith("slow"):
            for part in parts:
                yield SentenceEvent(sentence=part)
                await asyncio.sleep(0.02)
        yield cited(sentences=parts, question=asked, answer_id=asked)


async def live(folder: str, api_url: str, database: str = "") -> None:
    """Answer until killed, and log nothing."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    await answer(folder, api_url, database)


async def answer(folder: str, api_url: str, database: str = "", *, retry_seconds: float = RETRY_SECONDS) -> None:
    settings = SlackSettings(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=api_url)
    adapter = SlackAdapter(settings, echo=lambda line: None, timings=PACE)
    async with open_storage(Path(folder), database=database, exclusive=True) as storage:
        await hold(storage, cited())
        desk = CitewellServices(storage)
        adapters = {"slack": adapter}
        worker = Worker(
            storage.inbox,
            Thinking(),
            adapters,
            _request,
            desk.choose_options,
            visible_answer=lambda answer_id, _: storage.history.answer(answer_id),
            concurrency=8,
            grace_seconds=GRACE,
            retry_seconds=retry_seconds,
        )
        storage.inbox.on_accept(worker.notify)
        peers = LeaderElection(storage.database, storage.inbox)
        await asyncio.gather(
            worker.run(), peers.run(worker), keep_listening(adapter, storage.inbox, desk, lambda line: None)
        )


async def _request(message: IncomingMessage, chosen: AnswerSettings, adapter: PlatformAdapter) -> AnswerRequest:
    return AnswerRequest(
        text=message.text,
        audience=NOBODY,
        conversation=message.conversation,
        author=message.author,
        known_chunk_ids=frozenset() if message.manner is MessageTrigger.AWAITED else None,
    )
