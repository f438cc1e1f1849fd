"""Schemas of the replies that a model gives as JSON: how long each text and list may be, the tokens of a reply, and the
prompt that leaves time and room for it.

A limit stands in the JSON schema alone, for servers that write by it: a small model fills a string or a list without
end. A reply that is longer, of a server that takes no limits, is read all the same; its reader takes what it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from pipeline.ports.models import T
from pipeline.values import ModelCapacity

_CHARACTERS_PER_TOKEN = 3
"""Characters of a text for each token of a reply: English has 4 to 5, other languages fewer."""
_VALUE_TOKENS = 8
"""Tokens around a name or a value: quotes, a colon, a comma, and the white space of an indented line. SmolLM2 writes a
verdict without its texts in 22 tokens on one line, in 33 on six."""
_TYPICAL_SHARE = 0.5
"""Share of its limit that a reply takes most of the time: of SmolLM2's verdicts .37 to .49."""

_FRAME_TOKENS = 40
"""Tokens that a server puts around the messages of a prompt."""
_ESTIMATED_SHARE = 0.8
"""Share of a text's tokens, as a server counts them, that `estimate_tokens` finds at least."""

# --- Limits ---------------------------------------------------------------------------------------


def text_limit(most: int) -> Any:
    """Return the annotation of a text that has at most so many characters."""
    return Field(json_schema_extra={"maxLength": most})


def list_limit(most: int, *, fewest: int = 0) -> Any:
    """Return the annotation of a list that has so many entries."""
    return Field(json_schema_extra={"minItems": fewest, "maxItems": most})


def number_limit(most: int, *, least: int = 0) -> Any:
    """Return the annotation of a whole number between two others."""
    return Field(json_schema_extra={"minimum": least, "maximum": most})


@lru_cache(maxsize=64)
def limit_entries(into: type[T], name: str, count: int) -> type[T]:
    """Return `into` with a JSON schema where its list `name` has exactly `count` entries."""
    field: Any = (Annotated[into.model_fields[name].annotation, list_limit(count, fewest=count)], ...)
    return create_model(into.__name__, __base__=into, **{name: field})


# --- Tokens ---------------------------------------------------------------------------------------


def longest_prompt(capacity: ModelCapacity, seconds: float, *, max_tokens: int, reply: float) -> float:
    """Return the estimated tokens that a prompt may have, so that a reply of `reply` tokens comes within `seconds` and
    one of `max_tokens` fits the window. Infinite where nothing is known; 0 or less where there is no time."""
    longest = math.inf
    if capacity.window:
        longest = (capacity.window - max_tokens - _FRAME_TOKENS) * _ESTIMATED_SHARE
    left = seconds - capacity.writing_seconds(reply)
    if left <= 0:
        return 0.0
    return min(longest, left * capacity.read_per_second) if capacity.read_per_second else longest


@lru_cache(maxsize=64)
def max_reply_tokens(into: type[BaseModel]) -> int:
    """Return the tokens of the longest reply by the JSON schema of `into`. Raises KeyError where a text, a number or a
    list has no limit."""
    schema = into.model_json_schema()
    return math.ceil(_count_tokens(schema, schema.get("$defs", {})))


def typical_reply_tokens(max_tokens: int) -> float:
    """Return the tokens that a reply takes most of the time, where it may have `max_tokens`."""
    return max_tokens * _TYPICAL_SHARE


def _count_tokens(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> float:
    match schema:
        case {"$ref": str(reference)}:
            return _count_tokens(definitions[reference.rpartition("/")[2]], definitions)
        case {"enum": values}:
            return _VALUE_TOKENS + max(map(len, values)) / _CHARACTERS_PER_TOKEN
        case {"type": "string"}:
            return _VALUE_TOKENS + float(schema["maxLength"]) / _CHARACTERS_PER_TOKEN
        case {"type": "integer"}:
            return _VALUE_TOKENS + len(str(schema["maximum"]))
        case {"type": "array"}:
            return _VALUE_TOKENS + int(schema["maxItems"]) * _count_tokens(schema["items"], definitions)
    fields = schema["properties"].items()
    return _VALUE_TOKENS + sum(
        len(name) / _CHARACTERS_PER_TOKEN + _count_tokens(field, definitions) for name, field in fields
    )
