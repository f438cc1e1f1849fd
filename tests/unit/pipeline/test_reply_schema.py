"""A reply by its schema has an end, and room in the tokens that are asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from adapters.models.schemas import drop_bounds
from pipeline.check.verdicts import MAX_CLAIMS, Verdicts, verdicts_schema
from pipeline.drafting.proposal import _Section
from pipeline.plan.model_planner import _Understood
from pipeline.ports import ChatMessage
from pipeline.ports.reply_schema import longest_prompt, max_reply_tokens
from pipeline.values import ModelCapacity
from pipeline.write.rewriting import Rewritten, rewritten_schema
from tests.doubles.llm.faults import Text
from tests.doubles.llm.models import models

SCHEMAS: list[type[BaseModel]] = [verdicts_schema(1), verdicts_schema(4), rewritten_schema(3), _Section, _Understood]
LIMITS = ("maxLength", "maxItems", "minItems", "maximum", "minimum")


def longest(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """The longest value that fits a schema."""
    if "$ref" in schema:
        return longest(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return max(schema["enum"], key=len)
    match schema["type"]:
        case "string":
            return ("word " * schema["maxLength"])[: schema["maxLength"]]
        case "integer":
            return schema["maximum"]
        case "array":
            return [longest(schema["items"], definitions)] * schema["maxItems"]
    return {name: longest(field, definitions) for name, field in schema["properties"].items()}


@pytest.mark.parametrize("into", SCHEMAS, ids=lambda into: into.__name__)
def test_the_longest_reply_has_an_end_and_room(into: type[BaseModel]) -> None:
    schema = into.model_json_schema()
    reply = longest(schema, schema.get("$defs", {}))
    into.model_validate(reply)
    assert len(json.dumps(reply)) / 3 <= max_reply_tokens(into), "three characters a token"


@pytest.mark.parametrize("into", SCHEMAS, ids=lambda into: into.__name__)
def test_a_vendor_gets_the_schema_without_limits(into: type[BaseModel]) -> None:
    schema = into.model_json_schema()
    without = json.dumps(drop_bounds(schema))
    assert any(limit in json.dumps(schema) for limit in LIMITS)
    assert not any(limit in without for limit in LIMITS)
    assert json.loads(without)["required"] == schema["required"]


@given(st.integers(1, MAX_CLAIMS), st.integers(0, 40), st.text(min_size=200, max_size=400))
def test_a_reply_that_knows_no_limits_is_read_whole(claims: int, count: int, words: str) -> None:
    verdicts = [{"claim": 99, "words": words, "verdict": "not there"}] * count
    read = verdicts_schema(claims).model_validate({"verdicts": verdicts})
    assert isinstance(read, Verdicts)
    assert [verdict.words for verdict in read.verdicts] == [words] * count


def test_each_count_of_claims_and_of_sentences_has_its_own_limit() -> None:
    assert verdicts_schema(2).model_json_schema()["properties"]["verdicts"]["maxItems"] == 2
    assert rewritten_schema(2).model_json_schema()["properties"]["sentences"]["maxItems"] == 2
    assert issubclass(rewritten_schema(2), Rewritten)
    assert max_reply_tokens(verdicts_schema(1)) < max_reply_tokens(verdicts_schema(2))


@given(
    st.floats(0.1, 1000),
    st.floats(0.1, 1000),
    st.integers(100, 10_000),
    st.floats(0, 60),
    st.integers(1, 500),
)
def test_a_prompt_leaves_time_and_room_for_its_reply(
    read: float, write: float, window: int, seconds: float, max_tokens: int
) -> None:
    capacity = ModelCapacity(read_per_second=read, write_per_second=write, window=window)
    most = longest_prompt(capacity, seconds, max_tokens=max_tokens, reply=max_tokens / 2)
    assert most <= max(window - max_tokens, 0)
    if most > 0:
        assert capacity.can_reply_within(seconds + 1e-6, prompt=most, reply=max_tokens / 2)


@pytest.mark.parametrize(("provider", "limited"), [("openai", True), ("anthropic", False)])
async def test_a_server_at_an_address_of_ones_own_writes_by_the_limits(provider: str, limited: bool) -> None:
    verdict = {"claim": 1, "words": "", "verdict": "not there"}
    async with models(provider, Text(json.dumps({"verdicts": [verdict]}))) as (model, server):
        await model.structured([ChatMessage(role="user", content="?")], verdicts_schema(1), max_tokens=100)
    assert ("maxLength" in json.dumps(server.requests[0])) == limited
