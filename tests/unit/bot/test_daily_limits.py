"""The tokens of a day are limited where somebody pays for them, and as the settings say everywhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.config.settings import Settings
from bot.model_server import open_model_server
from bot.models import open_model
from tests.doubles.llm.walk import Straight, Tally

OWN, PUBLIC = "http://10.1.2.3:8000/v1", "https://api.example.com/v1"
USUAL = (600_000, 6_000_000)


def settings(**given: object) -> Settings:
    given = {"openai_api_key": "k", "anthropic_api_key": "k", **given}
    return Settings(_env_file=None, **given)  # type: ignore[arg-type, call-arg]


@pytest.mark.parametrize(
    ("spec", "given", "billed"),
    [
        ("openai:m", {}, True),
        ("anthropic:m", {}, True),
        ("openai:m", {"OPENAI_BASE_URL": PUBLIC}, True),
        ("openai:m", {"OPENAI_BASE_URL": OWN}, False),
        ("openai:m", {"OPENAI_BASE_URL": "http://localhost:1234/v1"}, False),
        ("openai:m", {"OPENAI_BASE_URL": "http://vllm.internal/v1"}, False),
        ("anthropic:m", {"OPENAI_BASE_URL": OWN}, True),
        ("anthropic:m", {"ANTHROPIC_BASE_URL": OWN}, False),
        ("ollama:m", {}, False),
        ("ollama:m", {"OPENAI_BASE_URL": "http://ollama:11434/v1"}, False),
        ("ollama:m", {"OPENAI_BASE_URL": PUBLIC}, True),
    ],
)
def test_a_vendors_model_and_one_at_a_public_address_are_billed(
    spec: str, given: dict[str, object], billed: bool
) -> None:
    assert open_model_server(settings(**given), spec, None).is_billed is billed


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ({"model": "openai:m"}, USUAL),
        ({"model": "ollama:m"}, (0, 0)),
        ({"model": "ollama:m", "judge": "openai:m"}, USUAL),
        ({"model": "ollama:m", "judge": "none"}, (0, 0)),
        ({"model": "ollama:m", "daily_tokens_person": 7}, (7, 0)),
        ({"model": "openai:m", "daily_tokens_person": 0}, (0, USUAL[1])),
        ({"model": "openai:m", "daily_tokens_space": 70}, (USUAL[0], 70)),
    ],
    ids=str,
)
async def test_a_day_has_the_limits_of_the_settings_or_those_of_a_bill(
    given: dict[str, object], limits: tuple[int, int]
) -> None:
    storage: Any = SimpleNamespace(token_ledger=Tally())
    async with open_model(settings(**given), Straight([]), storage) as model:
        assert model
        assert (model.budget.per_person, model.budget.per_space) == limits
