"""What a library stumbles over costs the part of the file that it stands in, and nothing else is taken for that."""

from __future__ import annotations

import pytest

from adapters.files.content import OutlineBuilder
from pipeline.errors import Refused


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), AssertionError(), ZeroDivisionError()])
def test_a_damaged_part_is_named_and_what_follows_is_read(error: Exception) -> None:
    outline, parts = OutlineBuilder(), []
    for part in ("first", "second"):
        with outline.skip_damaged(f"the {part}"):
            if part == "first":
                raise error
            parts.append(part)
    assert parts == ["second"]
    assert outline.build().unread == ("the first",)


@pytest.mark.parametrize("error", [MemoryError(), Refused("too long", what_to_do="Split it.")])
def test_what_is_refused_and_a_lack_of_memory_are_no_damage(error: Exception) -> None:
    outline = OutlineBuilder()
    with pytest.raises(type(error)), outline.skip_damaged("a part"):
        raise error
    assert outline.build().unread == ()
