"""The properties of a Notion page as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.sources.notion.source import property_text
from tests.doubles.notion.workspace import rich

TITLES = {"p1": "Handbook", "p2": "Roadmap"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "name", "start"]), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("rich_text", rich("See the wiki"), "See the wiki"),
        ("number", 1200, "1200"),
        ("number", 1234.5678, "1234.5678"),
        ("number", 12_345_678, "12345678"),
        ("number", None, ""),
        ("checkbox", False, "No"),
        ("select", {"id": "x", "name": "High", "color": "red"}, "High"),
        ("status", {"name": "Done"}, "Done"),
        ("multi_select", [{"name": "A"}, {"name": "B"}], "A, B"),
        ("date", {"start": "2026-03-01", "end": None}, "2026-03-01"),
        ("date", {"start": "2026-03-01", "end": "2026-03-05"}, "2026-03-01 – 2026-03-05"),
        ("people", [{"object": "user", "id": "u", "name": "Robin Vale"}, {"object": "user", "id": "v"}], "Robin Vale"),
        ("files", [{"name": "plan.pdf", "type": "file"}], "plan.pdf"),
        ("url", "https://example.com", "https://example.com"),
        ("relation", [{"id": "p1"}, {"id": "unknown"}, {"id": "p2"}], "Handbook, Roadmap"),
        ("formula", {"type": "boolean", "boolean": True}, "Yes"),
        ("formula", {"type": "string", "string": "late"}, "late"),
        ("rollup", {"type": "array", "array": [{"type": "number", "number": 3}], "function": "show_original"}, "3"),
        ("unique_id", {"prefix": "OPS", "number": 7}, "OPS-7"),
        ("created_time", "2026-03-01T12:00:00.000Z", "2026-03-01"),
        ("button", {}, ""),
    ],
)
def test_a_property_is_read_as_it_is_shown(kind: str, value: object, text: str) -> None:
    assert property_text({"id": "a", "type": kind, kind: value}, TITLES) == text


@given(st.sampled_from(["number", "date", "people", "rollup", "relation", "select", "title", "formula"]), JSON)
def test_any_value_is_read(kind: str, value: object) -> None:
    assert isinstance(property_text({"type": kind, kind: value}, TITLES), str)
