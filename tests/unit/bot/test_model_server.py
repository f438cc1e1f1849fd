"""What a model's server is asked before the first question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.config.settings import Settings
from bot.model_server import open_model_server, open_prepared_model
from bot.models import open_model
from pipeline.check.model_judge import ModelJudge
from pipeline.write.prompts import PromptOptions
from tests.contracts.waiting import until
from tests.doubles.llm.server import LlmServer
from tests.doubles.llm.walk import Straight, Tally
from tests.doubles.web import WebServer


@pytest.mark.parametrize(
    ("spec", "given", "key"),
    [
        ("openai:m", {"openai_base_url": "{}/v1", "openai_api_key": "sk-o"}, "sk-o"),
        ("ollama:m", {"openai_base_url": "{}/v1", "openai_api_key": "sk-o"}, "sk-o"),
        ("ollama:m", {"openai_api_key": "sk-o"}, "ollama"),
        ("anthropic:m", {"anthropic_base_url": "{}", "openai_api_key": "sk-o", "anthropic_api_key": "sk-a"}, "sk-a"),
    ],
)
async def test_a_server_is_only_given_its_own_key(
    spec: str, given: dict[str, str], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with WebServer().running() as server:
        monkeypatch.setattr("adapters.models.factory.OLLAMA_URL", f"{server.url}/v1")
        values = {name: value.format(server.url) for name, value in given.items()}
        opened = open_model_server(Settings(_env_file=None, **values), spec, None)  # type: ignore[arg-type, call-arg]
        await opened.examine()
        await opened.model.close()
    keys = {asked.headers.get("x-api-key") or asked.headers["authorization"] for asked in server.asked}
    assert {sent.removeprefix("Bearer ") for sent in keys} == {key}
    assert {"/props", "/api/ps"} <= {asked.path for asked in server.asked}


async def test_an_unforeseen_error_is_logged_and_the_preparation_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("bot.model_server.read_server_facts", fail)
    async with LlmServer().running() as server:
        settings = Settings(_env_file=None, openai_base_url=f"{server.url}/v1")  # type: ignore[call-arg]
        with capture_logs() as logs:
            async with open_prepared_model(settings, "openai:m", None, PromptOptions()) as preparation:
                preparing = preparation.prepare()
                assert preparing is not None
                await preparing
    assert [(line["event"], line["log_level"]) for line in logs] == [
        ("server_not_prepared", "error"),
        ("server_not_prepared", "error"),  # it is examined again, since its window is not known
        ("server_measured", "info"),
    ]


async def test_another_model_that_checks_is_measured_too() -> None:
    async with LlmServer().running() as server:
        given = {"model": "openai:m", "judge": "openai:n", "openai_base_url": f"{server.url}/v1"}
        storage: Any = SimpleNamespace(token_ledger=Tally())
        async with open_model(Settings(_env_file=None, **given), Straight([]), storage) as model:  # type: ignore[arg-type, call-arg]
            assert model is not None
            assert model.turns is not None
            assert isinstance(model.judge, ModelJudge)
            judging = model.judge.model
            assert (judging.name, judging.capacity.read_per_second) == ("openai:n", None)
            model.turns.prepare()
            await until(lambda: judging.capacity.read_per_second)
