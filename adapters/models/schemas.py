"""JSON schemas of structured replies, as the vendors' strict modes take them."""

from __future__ import annotations

from typing import Any

_BOUNDS = frozenset(
    {
        "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maximum", "minimum",
        "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "maxProperties", "minProperties",
    }
)  # fmt: skip
_NAMED_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Keywords whose keys are names and no keywords."""
_VALUES = frozenset({"const", "default", "enum", "examples", "required"})


def drop_bounds(schema: Any) -> Any:
    """Return `schema` without the keywords that bound lengths and numbers, which the strict modes of OpenAI and
    Anthropic refuse. A reply that goes beyond them is read all the same."""
    if isinstance(schema, list):
        return [drop_bounds(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for keyword, value in schema.items():
        if keyword in _NAMED_SCHEMAS and isinstance(value, dict):
            kept[keyword] = {name: drop_bounds(entry) for name, entry in value.items()}
        elif keyword not in _BOUNDS:
            kept[keyword] = value if keyword in _VALUES else drop_bounds(value)
    return kept
