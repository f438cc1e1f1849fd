"""A vendor's strict mode gets a schema without bounds, and nothing else of it changes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.models.schemas import drop_bounds

BOUNDS = {"maxLength": 9, "minItems": 1, "pattern": "^a", "maximum": 3}
LEAF = st.sampled_from([{"type": "string"}, {"type": "integer"}, {"enum": ["pattern", "maxLength"]}])
NAMES = st.sampled_from(["pattern", "maxLength", "name", "properties"])
PLAIN: st.SearchStrategy[dict[str, Any]] = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda fields: {"type": "object", "properties": fields, "required": list(fields)}
        ),
        inner.map(lambda entry: {"type": "array", "items": entry}),
        st.lists(inner, max_size=2).map(lambda entries: {"anyOf": entries}),
        st.dictionaries(NAMES, inner, max_size=2).map(lambda named: {"$defs": named, "$ref": "#/$defs/name"}),
    ),
)


def bounded(schema: Any) -> Any:
    """Return `schema` with bounds wherever a schema is."""
    if "properties" in schema:
        schema = {**schema, "properties": {name: bounded(entry) for name, entry in schema["properties"].items()}}
    if "$defs" in schema:
        schema = {**schema, "$defs": {name: bounded(entry) for name, entry in schema["$defs"].items()}}
    if "items" in schema:
        schema = {**schema, "items": bounded(schema["items"])}
    if "anyOf" in schema:
        schema = {**schema, "anyOf": [bounded(entry) for entry in schema["anyOf"]]}
    return {**schema, **BOUNDS}


@given(PLAIN)
def test_the_bounds_go_and_all_else_stays(schema: dict[str, Any]) -> None:
    assert drop_bounds(schema) == schema
    assert drop_bounds(bounded(schema)) == schema
