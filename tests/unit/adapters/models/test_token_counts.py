"""The cost of a reply is read where its shape is known, and never a reason to lose the reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.token_counts import TokenCounts, read_token_counts

USAGE = {"prompt_tokens": 32, "completion_tokens": 6}
TIMINGS = {"cache_n": 24, "prompt_n": 8, "prompt_ms": 65.5, "predicted_n": 6, "predicted_ms": 81.0}
ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.integers())
NAMES = ["prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens", *TIMINGS]
OBJECTS = ODD | st.dictionaries(st.sampled_from(NAMES), ODD | st.dictionaries(st.sampled_from(NAMES), ODD))


@pytest.mark.parametrize(
    ("event", "counts"),
    [
        ({}, None),
        ({"usage": None}, None),
        ({"usage": USAGE}, (32, 6, None, None, None)),
        ({"usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 20}}}, (32, 6, 20, None, None)),
        ({"usage": {**USAGE, "prompt_tokens_details": None}}, (32, 6, None, None, None)),
        ({"usage": USAGE, "timings": TIMINGS}, (32, 6, 24, 0.0655, 0.081)),
        ({"timings": TIMINGS}, (32, 6, 24, 0.0655, 0.081)),
        ({"usage": {"prompt_tokens": "many"}, "timings": {"prompt_ms": -1}}, (0, 0, None, None, None)),
    ],
)
def test_tokens_and_seconds_are_read(event: dict[str, object], counts: tuple[object, ...] | None) -> None:
    read = read_token_counts(event)
    told = read and (
        read.input_tokens,
        read.output_tokens,
        read.cached_tokens,
        read.read_seconds,
        read.write_seconds,
    )
    assert told == counts


@given(st.fixed_dictionaries({"usage": OBJECTS, "timings": OBJECTS}))
def test_an_odd_shape_is_left_out(event: dict[str, object]) -> None:
    read = read_token_counts(event) or TokenCounts()
    assert read.input_tokens >= 0
    assert read.write_seconds is None or 0 <= read.write_seconds <= 10**6


@pytest.mark.parametrize(("reason", "limit", "told"), [("length", 6, "length"), ("length", 7, "length"),
                                                       ("length", 50, "window"), ("stop", 50, "stop")])  # fmt: skip
def test_the_window_is_told_from_the_limit_by_the_tokens_written(reason: str, limit: int, told: str) -> None:
    assert TokenCounts(output_tokens=6).length_reason(reason, limit) == told
    assert TokenCounts().length_reason(reason, limit) == reason
