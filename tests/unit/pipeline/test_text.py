"""What may be shown of a text."""

from __future__ import annotations

import pytest

from pipeline.words.text import visible


@pytest.mark.parametrize("hidden", [*"\U000e0100\U000e0041\ufeff\u202e\u200b\u00ad\ue000\x1b\u3164\ufe01\u034f\u2066"])
def test_what_hides_is_not_shown(hidden: str) -> None:
    assert visible(f"thirty{hidden} days") == "thirty days"


def test_bytes_hidden_in_runs_of_joiners_or_selectors_are_not_shown() -> None:
    assert visible("a\u200c\u200d\u200b\u200d\u200cb ❤\ufe0f\ufe0f\ufe0e") == "a\u200cb ❤\ufe0f"


@pytest.mark.parametrize("text", ["👩\u200d💻", "❤\ufe0f", "می\u200cخواهم", "naïve\tcafé", "日本語\nです"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert visible(text) == text


def test_every_line_end_is_one() -> None:
    assert visible("a\r\nb\rc\u2028d\x85e") == "a\nb\nc\nd\ne"
