"""Words that say the opposite: negation, antonyms, and how much a quantifier or a modal verb claims."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.phrases import word_pattern
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
    """.split()
]
_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITE.setdefault(stem(_one), set()).add(stem(_other))
    _OPPOSITE.setdefault(stem(_other), set()).add(stem(_one))
_TURNS = ("un", "in", "im", "il", "ir", "non", "dis")
"""Prefixes that turn a word into its opposite."""
NEGATION = re.compile(
    r"\b(?:not(?! only\b)|no(?! (?:later|more|less|fewer|earlier|longer than)\b)|never|none|nobody|nothing|neither|nor"
    r"|without|cannot|unable|fail(?:s|ed)? to|refus(?:e|es|ed) to|lacks?|rarely|hardly"
    r"|nicht|kein\w*|nie|niemals|ohne|pas|jamais|aucune?|sans|sin|nunca|ningun[oa]?|ningún)\b|n['’]t\b"
    r"|ない|ません|なし",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!?|]|\b(?:but|unless|except|although|though|while|whereas|because|if)\b")
_PARTIAL = word_pattern(r"""
    some|several|many|most|few|often|usually|sometimes|occasionally|generally|typically|mostly|partly|almost|nearly
""")
_PARTLY = word_pattern("some|several|few|sometimes|occasionally|rarely")
_UNIVERSAL = word_pattern("all|every|everyone|everybody|each|always|entire(?:ly)?|never|none|any")
_OPTIONAL = word_pattern(
    "may|can|could|might|optional(?:ly)?|should|recommended|voluntary|need not|do(?:es)? not have to"
)
_OBLIGED = word_pattern("must|required?|requires|ha(?:ve|s) to|shall|mandatory|obligatory|needs? to|obliged")
_EXCLUSIVE = word_pattern("only|solely|exclusively|nothing but|just")
_AT_LEAST = re.compile(
    r"\b(?:at least|(?:no|not) (?:less|fewer|earlier) than|more than|over|minimum(?: of)?|above|exceed(?:s|ing)?|after)"
    r"\W+(?:\w+\W+){0,2}?$"
)
_AT_MOST = re.compile(
    r"\b(?:at most|(?:no|not) (?:more|later|longer) than|less than|fewer than|under|below|up to|within|maximum(?: of)?"
    r"|before|until)\W+(?:\w+\W+){0,2}?$"
)


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


def overstated(claim: str, source: str) -> bool:
    """Whether `claim` says all, must or only where `source` says some, may or nothing of the kind; or the reverse."""
    return (
        _jumps(claim, source, _UNIVERSAL, _PARTIAL)
        or _jumps(claim, source, _PARTLY, _UNIVERSAL)
        or _jumps(claim, source, _OBLIGED, _OPTIONAL)
        or (bool(_EXCLUSIVE.search(claim)) and not _EXCLUSIVE.search(source))
    )


def _jumps(claim: str, source: str, to: re.Pattern[str], at: re.Pattern[str]) -> bool:
    return bool(to.search(claim) and not at.search(claim) and at.search(source) and not to.search(source))


def bound(text: str, start: int) -> int:
    """What stands before a number at `start`: 1 for `at least`, -1 for `at most`, else 0."""
    before = text[max(0, start - 30) : start].lower()
    return 1 if _AT_LEAST.search(before) else -1 if _AT_MOST.search(before) else 0


def negated(text: str) -> list[str]:
    """The stretches of `text` that a negation governs: from it to the end of its clause."""
    stretches = []
    for match in NEGATION.finditer(text):
        clause = _CLAUSE.search(text, match.end())
        stretches.append(text[match.end() : clause.start() if clause else len(text)])
    return stretches
