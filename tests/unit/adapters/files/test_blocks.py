"""Many blocks in little memory are the same blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.files import content as collecting
from adapters.files import content as packing
from adapters.files.content import OutlineBuilder
from pipeline.values import Block, BlockKind

TEXTS = st.lists(st.tuples(st.sampled_from(BlockKind), st.text("ab é|\n", min_size=1).filter(str.strip)), max_size=12)


@given(TEXTS, st.integers(1, 4), st.integers(-20, 20))
def test_a_long_outline_holds_what_a_short_one_would(texts: list[tuple[BlockKind, str]], frame: int, at: int) -> None:
    def collected() -> list[Block]:
        outline = OutlineBuilder()
        outline.sheet = "stock"
        for number, (kind, text) in enumerate(texts, 1):
            outline.add(kind, text, row=number)
        found = outline.build().blocks
        assert len(list(found)) == len(found)
        assert list(found[at:]) == list(found)[at:]
        if -len(found) <= at < len(found):
            assert found[at] == list(found)[at]
        return list(found)

    whole = collected()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "BLOCKS_PER_FRAME", frame)
        patch.setattr(collecting, "BLOCKS_PER_FRAME", frame)
        assert collected() == whole
