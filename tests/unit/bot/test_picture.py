"""The picture of an answer is a real answer, and a page that shows it runs and fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from lxml import etree

from bench.draw_answer import PICTURE, answer_blocks, draw

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "title", "style", "rect", "circle", "path", "line", "text", "tspan", "g"}


def texts(value: Any) -> Iterator[str]:
    """Return what people read in blocks."""
    if isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for one in value.values():
            yield from texts(one)


def letters(text: str) -> str:
    """Return the words alone, as lines of a picture are broken elsewhere."""
    return "".join(re.findall(r"[\w.,?]", re.sub(r"<[^|>]*\||[*>]", "", text)))


async def test_the_picture_is_the_answer_of_today_and_shows_all_of_it() -> None:
    blocks = await answer_blocks()
    drawn = draw(blocks)
    assert PICTURE.read_text(encoding="utf-8") == drawn, "make docs draws it anew"
    lines = ["".join(text.itertext()) for text in etree.fromstring(drawn.encode()).iter(f"{SVG}text")]
    shown = letters(" ".join(lines))
    assert "High confidence" in str(blocks)
    assert [text for text in texts(blocks) for line in text.splitlines() if letters(line) not in shown] == []


def test_nothing_in_the_picture_runs_or_is_fetched() -> None:
    picture = etree.parse(PICTURE)
    assert {etree.QName(element).localname for element in picture.iter()} <= DRAWN
    assert not re.search(r"url\(|@import|href|\bon\w+=", PICTURE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "block", [{"type": "video"}, {"type": "markdown", "text": "# A heading"}, {"type": "markdown", "text": "`code`"}]
)
def test_what_has_no_drawing_is_refused(block: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no drawing"):
        draw([block])
