"""What the operator of `citewell run` is told, and when a platform is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.config.tables import CollectionSettings
from bot.run import service
from bot.run.service import keep_listening, print_backlog
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured, Unavailable
from storage.open import open_storage
from tests.doubles.samples import message
from tests.doubles.settings import extractive


async def test_the_operator_is_told_what_waits_and_what_was_given_up(tmp_path: Path) -> None:
    lines: list[str] = []
    async with open_storage(tmp_path / "data") as storage:
        inbox = storage.inbox
        await print_backlog(inbox, lines.append)
        assert lines == []
        for number, why in (("1.0", "Slack says no"), ("2.0", "RuntimeError"), ("3.0", "Slack says no")):
            await inbox.accept(message(number))
            await inbox.mark_failed(message(number).key, why)
        await inbox.accept(message("4.0"))
        await print_backlog(inbox, lines.append)
    waiting, given_up = lines
    assert waiting == "1 question from before will be answered now."
    assert given_up.startswith("3 questions could not be delivered: 2 × Slack says no, 1 × RuntimeError. ")


class Platform:
    """Cannot be reached, for the reasons given one after the other."""

    name = "slack"

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    async def listen(self, inbox: object, services: object) -> None:
        raise self._errors.pop(0)

    async def close(self) -> None:
        pass


async def test_a_platform_is_tried_again_after_as_long_as_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(service, "asyncio", _Patient(sleep))
    errors = [Unavailable("Slack", "down", retry_after=wait) for wait in (None, 300.0, 1.0)]
    platform: Any = Platform(*errors, Misconfigured("SLACK_BOT_TOKEN", "Slack says invalid_auth"))
    lines: list[str] = []
    nothing: Any = None
    with pytest.raises(Misconfigured):
        await keep_listening(platform, nothing, nothing, lines.append)
    assert waited == [5.0, 300.0, 20.0]
    assert "tried again in 300 seconds" in lines[1]


async def test_a_platform_that_breaks_is_said_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sleep(seconds: float) -> None: ...

    monkeypatch.setattr(service, "asyncio", _Patient(sleep))
    platform: Any = Platform(KeyError("guild_id"), Misconfigured("SLACK_BOT_TOKEN", "Slack says invalid_auth"))
    lines: list[str] = []
    nothing: Any = None
    with capture_logs() as logged, pytest.raises(Misconfigured):
        await keep_listening(platform, nothing, nothing, lines.append)
    assert lines == ["slack stopped: KeyError. The log says where; slack is tried again in 5 seconds."]
    assert [entry["event"] for entry in logged] == ["stopped_listening"]


class _Patient:
    """asyncio, in which waiting takes no time."""

    def __init__(self, sleep: Any) -> None:
        self.sleep = sleep

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)


async def test_nobody_is_told_of_answers_on_a_platform_that_refuses_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing: Any = Platform(Misconfigured("SLACK_APP_TOKEN", "is not set", what_to_do="Set it."))
    monkeypatch.setattr(service, "make_adapters", lambda *_: {"slack": refusing})
    lines: list[str] = []
    rules = {"HR": CollectionSettings(only=("slack:T1:C1",))}
    settings = extractive(tmp_path / "data", collections=rules)
    (tmp_path / "leave.md").write_text("# Leave\n\nEmployees get 25 vacation days a year.\n")
    async with open_citewell(settings) as citewell:
        await citewell.index([tmp_path / "leave.md"], collection="hr")
    assert await service.run_service(settings, lines.append) == 1
    assert lines[0] == "1 document is indexed. Connecting to Slack."
    assert lines[1] == "No language model is set: answers are made of the documents' own sentences."
    assert lines[2].startswith("The rule [collections.HR] fits no collection; there is hr. Did you mean hr?")
    assert lines[3:] == ["slack is left out: SLACK_APP_TOKEN: is not set. Set it."]
