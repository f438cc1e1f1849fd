"""Reasoning in front of an answer is left out wherever the stream is cut; everything else passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.openai import ReasoningFilter


def passed(text: str, size: int) -> str:
    thinking = ReasoningFilter()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return "".join(thinking.feed(piece) for piece in pieces) + thinking.close()


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("<think>Let me see. [1]</think>Blue [1].", "Blue [1]."),
        ("\n <think></think>Blue [1].", "Blue [1]."),
        ("Blue <think>really</think> [1].", "Blue <think>really</think> [1]."),
        ("<thinking about it", "<thinking about it"),
        ("<thi", "<thi"),
        ("<think>for ever", ""),
        ("", ""),
    ],
)
def test_reasoning_in_front_is_left_out(written: str, answer: str, size: int) -> None:
    assert passed(written, size) == answer


@given(st.text(alphabet="<>/think ab", max_size=30), st.integers(1, 5))
def test_where_the_stream_is_cut_changes_nothing(text: str, size: int) -> None:
    assert passed(text, size) == passed(text, 1000)
