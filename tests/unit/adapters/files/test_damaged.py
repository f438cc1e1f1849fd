"""What a library stumbles over costs the part of the file that it stands in, and nothing else is taken for that."""

from __future__ import annotations

import pytest

from adapters.files.outline import Outline
from pipeline.errors import Refused


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), AssertionError(), ZeroDivisionError()])
def test_a_damaged_part_is_named_and_what_follows_is_read(error: Exception) -> None:
    outline, parts = Outline(), []
    for part in ("first", "second"):
        with outline.damaged(f"the {part}"):
            if part == "first":
                raise error
            parts.append(part)
    assert parts == ["second"]
    assert outline.content().unread == ("the first",)


@pytest.mark.parametrize("error", [MemoryError(), Refused("too long", what_to_do="Split it.")])
def test_what_is_refused_and_a_lack_of_memory_are_no_damage(error: Exception) -> None:
    outline = Outline()
    with pytest.raises(type(error)), outline.damaged("a part"):
        raise error
    assert outline.content().unread == ()
