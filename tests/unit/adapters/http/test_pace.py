"""How often somebody may call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.http import auth
from adapters.http.auth import RateLimiter


@given(st.integers(1, 600), st.lists(st.floats(0, 90), min_size=1, max_size=200))
def test_no_minute_has_more_calls_than_are_granted_and_who_waits_is_let_in(per_minute: int, gaps: list[float]) -> None:
    now, granted = 0.0, list[float]()
    paced = RateLimiter(clock=lambda: now)
    for gap in gaps:
        now += gap
        if seconds := paced.count_call("ann", per_minute):
            now += seconds + 1e-3
            assert paced.count_call("ann", per_minute) == 0.0
        granted.append(now)
    for first in granted:
        assert sum(first <= one < first + 60 for one in granted) <= 2 * per_minute


def test_callers_do_not_wait_for_each_other_and_are_not_remembered_for_ever() -> None:
    paced = RateLimiter(clock=lambda: 0.0)
    assert paced.count_call("ann", 1) == 0.0
    assert paced.count_call("ann", 1) > 0
    assert paced.count_call("bob", 1) == 0.0
    for number in range(auth.MAX_TRACKED_CALLERS):
        paced.count_call(str(number), 1)
    assert paced.count_call("ann", 1) == 0.0
