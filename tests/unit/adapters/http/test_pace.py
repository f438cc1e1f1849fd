"""How often somebody may call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.http import caller
from adapters.http.caller import Pace


@given(st.integers(1, 600), st.lists(st.floats(0, 90), min_size=1, max_size=200))
def test_no_minute_has_more_calls_than_are_granted_and_who_waits_is_let_in(per_minute: int, gaps: list[float]) -> None:
    now, granted = 0.0, list[float]()
    paced = Pace(clock=lambda: now)
    for gap in gaps:
        now += gap
        if seconds := paced.wait("ann", per_minute):
            now += seconds + 1e-3
            assert paced.wait("ann", per_minute) == 0.0
        granted.append(now)
    for first in granted:
        assert sum(first <= one < first + 60 for one in granted) <= 2 * per_minute


def test_callers_do_not_wait_for_each_other_and_are_not_remembered_for_ever() -> None:
    paced = Pace(clock=lambda: 0.0)
    assert paced.wait("ann", 1) == 0.0
    assert paced.wait("ann", 1) > 0
    assert paced.wait("bob", 1) == 0.0
    for number in range(caller.REMEMBERED):
        paced.wait(str(number), 1)
    assert paced.wait("ann", 1) == 0.0
