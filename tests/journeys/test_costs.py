"""What an answer costs, in counts that no machine changes: a change that makes it cost more has to say so here."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from bench.load import QUESTIONS as ASKED
from bench.load import ROOT, OnSlack
from bot.config.settings import Settings
from bot.run.service import run_service
from bot.wiring import open_citewell
from pipeline.values import AnswerRequest
from tests.contracts.slack_driver import granted
from tests.contracts.waiting import until
from tests.doubles.engines import Engine
from tests.doubles.settings import extractive
from tests.doubles.slack.server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.journeys.process import indexed

QUESTIONS = 8
COSTS = {"commits": 4, "calls": 2}
"""Of the cheapest of QUESTIONS mentions, each answered before the next is asked: others pay for what the bot does by
itself meanwhile. Web calls: the post, and the look at who is in the channel."""
STATEMENTS = {"sqlite": 36, "postgresql": 59}
"""On a quiet machine; on PostgreSQL 17 of them name the workspace that the others are for."""
HELD, LEFT = 950_000, 10
"""Bytes that an answer of the bot itself holds at once, half of them where a word of the question is in no document and
three times as much is looked at; and blocks of memory that each leaves behind."""
LOOKS = 12
"""Statements more where that is slow: the inbox is looked at five times a second."""


@pytest.mark.slow
async def test_what_answers_need_is_there_before_the_first_question(
    tmp_path: Path, documents: Path, counts: Counter[str]
) -> None:
    await indexed(tmp_path, documents)
    counts.clear()
    gc.unfreeze()
    async with SlackServer(granted()) as slack:
        serving = asyncio.create_task(run_service(on_slack(tmp_path, slack), lambda line: None))
        await until(lambda: gc.get_freeze_count() > 0)
        assert counts["vectors"] == 1
        os.kill(os.getpid(), signal.SIGTERM)
        await serving


def on_slack(folder: Path, slack: SlackServer, database: str = "") -> Settings:
    return extractive(
        folder,
        database=database or None,
        slack={"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "api_url": slack.api_url},
    )


@pytest.mark.slow
async def test_an_answer_costs_no_more_than_it_did(engine: Engine, documents: Path, counts: Counter[str]) -> None:
    await indexed(engine.folder, documents, engine.url)
    async with SlackServer(granted()) as slack:
        platform = OnSlack(slack)
        serving = asyncio.create_task(run_service(on_slack(engine.folder, slack, engine.url), lambda line: None))
        await platform.connected()
        await platform.ask()
        found: list[Counter[str]] = []
        for _ in range(QUESTIONS):
            counts.clear()
            slack.calls.clear()
            await platform.ask()
            await asyncio.sleep(0.2)
            found.append(counts + Counter({"calls": len(slack.calls)}))
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    least = {name: min(one[name] for one in found) for name in found[0]}
    assert least.pop("statements") <= STATEMENTS["postgresql" if engine.url else "sqlite"] + LOOKS
    assert least.pop("vectors", 0) <= 1
    assert least == COSTS


async def test_an_answer_holds_and_leaves_no_more_memory_than_it_did(tmp_path: Path) -> None:
    await indexed(tmp_path, ROOT / "examples" / "handbook")
    async with open_citewell(extractive(tmp_path)) as citewell:
        everything = await citewell.all_collections()

        async def ask() -> int:
            """Bytes held at once, at most."""
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            for question in ASKED:
                await citewell.respond(AnswerRequest(text=question, audience=everything))
            return tracemalloc.get_traced_memory()[1] - before

        for _ in range(2):  # what is kept of the passages is
            await ask()
        gc.collect()
        blocks = sys.getallocatedblocks()
        for _ in range(20):
            await ask()
        gc.collect()
        assert sys.getallocatedblocks() - blocks <= LEFT * 20 * len(ASKED)
        tracemalloc.start()
        try:
            assert await ask() <= HELD
        finally:
            tracemalloc.stop()
