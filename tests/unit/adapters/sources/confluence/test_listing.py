"""A page is as private as the most private thing above it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.sources.confluence.editions import PageNode, closed

IDS = [str(number) for number in range(8)]


def test_what_stands_below_a_closed_page_is_closed() -> None:
    nodes = {
        "top": PageNode(parent=None, closed=False),
        "board": PageNode(parent="top", closed=True),
        "minutes": PageNode(parent="board", closed=False),
        "orphan": PageNode(parent="not to be seen", closed=False),
    }
    assert closed(nodes) == {"board", "minutes", "orphan"}


@given(st.dictionaries(st.sampled_from(IDS), st.tuples(st.sampled_from([None, *IDS]), st.booleans())))
def test_a_page_is_open_only_when_all_above_it_is(drawn: dict[str, tuple[str | None, bool]]) -> None:
    nodes = {name: PageNode(parent=parent, closed=own) for name, (parent, own) in drawn.items()}

    def is_open(name: str | None, below: tuple[str, ...] = ()) -> bool:
        if name is None:
            return True
        if name in below or name not in nodes or nodes[name].closed:
            return False
        return is_open(nodes[name].parent, (*below, name))

    assert closed(nodes) == {name for name in nodes if not is_open(name)}
