"""A page is as private as the most private thing above it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.sources.confluence.api import PageTreeNode, find_restricted

IDS = [str(number) for number in range(8)]


def test_what_stands_below_a_closed_page_is_closed() -> None:
    nodes = {
        "top": PageTreeNode(parent=None, is_restricted=False),
        "board": PageTreeNode(parent="top", is_restricted=True),
        "minutes": PageTreeNode(parent="board", is_restricted=False),
        "orphan": PageTreeNode(parent="not to be seen", is_restricted=False),
    }
    assert find_restricted(nodes) == {"board", "minutes", "orphan"}


@given(st.dictionaries(st.sampled_from(IDS), st.tuples(st.sampled_from([None, *IDS]), st.booleans())))
def test_a_page_is_open_only_when_all_above_it_is(drawn: dict[str, tuple[str | None, bool]]) -> None:
    nodes = {name: PageTreeNode(parent=parent, is_restricted=own) for name, (parent, own) in drawn.items()}

    def is_open(name: str | None, below: tuple[str, ...] = ()) -> bool:
        if name is None:
            return True
        if name in below or name not in nodes or nodes[name].is_restricted:
            return False
        return is_open(nodes[name].parent, (*below, name))

    assert find_restricted(nodes) == {name for name in nodes if not is_open(name)}
