"""Words that mean the opposite of one another."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.text import stem

_PAIRS = [
    tuple(pair.split("/"))
    for pair in """
    first/last before/after increase/decrease increased/decreased increases/decreases more/less more/fewer most/least
    largest/smallest larger/smaller bigger/smaller highest/lowest higher/lower best/worst better/worse north/south
    east/west northern/southern eastern/western early/late earlier/later old/new older/newer oldest/newest
    oldest/youngest begin/end begins/ends began/ended start/end starts/ends start/stop starts/stops started/stopped
    rise/fall rises/falls rose/fell majority/minority major/minor long/short longer/shorter longest/shortest high/low
    large/small strong/weak stronger/weaker rich/poor public/private male/female men/women internal/external win/lose
    won/lost accept/reject accepted/rejected approve/reject approved/rejected support/oppose supported/opposed
    allow/prevent allowed/prevented allow/forbid allowed/forbidden allowed/prohibited permitted/prohibited
    permitted/forbidden positive/negative maximum/minimum upper/lower inside/outside above/below always/never
    common/rare enter/leave enter/exit gain/lose gained/lost create/destroy created/destroyed agree/disagree
    open/close opened/closed open/closed opens/closes import/export local/global hot/cold fast/slow faster/slower
    wide/narrow deep/shallow young/old younger/older left/right modern/ancient similar/different same/different
    simple/complex enable/disable enabled/disabled enables/disables add/remove added/removed adds/removes
    optional/required optional/mandatory paid/unpaid buy/sell bought/sold succeed/fail succeeded/failed
    success/failure include/exclude included/excluded includes/excludes including/excluding safe/dangerous
    true/false on/off full/empty heavy/light day/night morning/evening arrive/depart arrived/departed
    encrypt/decrypt encode/decode inward/outward inbound/outbound incoming/outgoing upload/download input/output
    upstream/downstream upward/downward upgrade/downgrade ascending/descending indoor/outdoor indoors/outdoors
    inflow/outflow prepaid/postpaid overpaid/underpaid activate/deactivate
    """.split()
]
_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITE.setdefault(stem(_one), set()).add(stem(_other))
    _OPPOSITE.setdefault(stem(_other), set()).add(stem(_one))
_TURNS = ("un", "in", "im", "il", "ir", "non", "dis")
"""Prefixes that turn a word into its opposite."""


def opposed(claim: Iterable[str], source: Iterable[str]) -> bool:
    """Whether a word of the `claim` stands in the `source` as its opposite, and neither has both."""
    ours, theirs = set(claim), set(source)
    said, found = set(map(stem, ours)), set(map(stem, theirs))
    return any(_OPPOSITE.get(word, set()) & found - said for word in said - found) or any(
        _prefixed(word) & theirs - ours for word in ours - theirs
    )


def _prefixed(word: str) -> set[str]:
    """The word with and without a prefix that turns it."""
    found = {prefix + word for prefix in _TURNS if len(word) > 3}
    return found | {word[len(prefix) :] for prefix in _TURNS if word.startswith(prefix) and len(word) > len(prefix) + 3}
