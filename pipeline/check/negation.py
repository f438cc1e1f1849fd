"""Wording that turns what is said: negation, and how much a quantifier or a modal verb claims."""

from __future__ import annotations

import re

from pipeline.phrases import word_pattern

NEGATION = re.compile(
    r"\b(?:not(?! only\b)|no(?! (?:later|more|less|fewer|earlier|longer than)\b)|never|none|nobody|nothing|neither|nor"
    r"|without|cannot|unable|fail(?:s|ed)? to|refus(?:e|es|ed) to|lacks?|rarely|hardly"
    r"|nicht|kein\w*|nie|niemals|ohne|pas|jamais|aucune?|sans|sin|nunca|ningun[oa]?|ningún)\b|n['’]t\b"
    r"|ない|ません|なし",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!?|]|\b(?:but|unless|except|although|though|while|whereas|because|if)\b")
_PHRASE = re.compile(rf"{_CLAUSE.pattern}|\b(?:and|or)\b")
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
_FEW = word_pattern(r"(?<!\ba )(?<!quite a )few(?! more)|rarely|seldom")
_MANY = word_pattern("many|half|most|majority|often|usually|frequently")
_PART = word_pattern("half(?= (?:of|the|all))|some|several|many|few|a minority")
_MOST = word_pattern(r"most(?= of)|(?<!the )most(?= [a-z]+(?<!ou)s\b)|majority")
"""`most` as a quantity: `most teams`, not `the most expensive`."""
_AT_LEAST = re.compile(
    r"\b(?:at least|(?:no|not) (?:less|fewer|earlier) than|more than|over|minimum(?: of)?|above|exceed(?:s|ing)?|after"
    r"|since)\W+(?:\w+\W+){0,2}?$"
)
_AT_MOST = re.compile(
    r"\b(?:at most|(?:no|not) (?:more|later|longer) than|less than|fewer than|under|below|up to|within|maximum(?: of)?"
    r"|before|until)\W+(?:\w+\W+){0,2}?$"
)


def overstated(claim: str, source: str) -> bool:
    """Whether `claim` says all, must or only where `source` says some, may or nothing of the kind; or the reverse; or
    most for half or some, or many for few."""
    return (
        _jumps(claim, source, _UNIVERSAL, _PARTIAL)
        or _jumps(claim, source, _PARTLY, _UNIVERSAL)
        or _jumps(claim, source, _OBLIGED, _OPTIONAL)
        or _jumps(claim, source, _MOST, _PART)
        or _jumps(claim, source, _MANY, _FEW)
        or _jumps(claim, source, _FEW, _MANY)
        or (bool(_EXCLUSIVE.search(claim)) and not _EXCLUSIVE.search(source))
    )


def _jumps(claim: str, source: str, to: re.Pattern[str], at: re.Pattern[str]) -> bool:
    return bool(to.search(claim) and not at.search(claim) and at.search(source) and not to.search(source))


def bound(text: str, start: int) -> int:
    """What stands before a number at `start`: 1 for `at least`, -1 for `at most`, else 0."""
    before = text[max(0, start - 30) : start].lower()
    return 1 if _AT_LEAST.search(before) else -1 if _AT_MOST.search(before) else 0


def qualified(text: str, start: int) -> bool:
    """Whether a word such as `some` or `few` limits what begins at `start`."""
    before = text[max(0, start - 30) : start].split()
    return bool(before and _PARTIAL.fullmatch(before[-1]))


def governs(text: str, start: int, end: int) -> bool:
    """Whether a negation of `text` that stands outside of `start` to `end` negates what stands there."""
    for match in NEGATION.finditer(text):
        between, edges = "", _CLAUSE
        if match.end() <= start:
            between = text[match.end() : start]
        elif match.start() >= end:
            between, edges = text[end : match.start()], _PHRASE
        else:
            continue
        if not edges.search(between):
            return True
    return False


def negated(text: str) -> list[str]:
    """The stretches of `text` that a negation governs: from it to the end of its clause."""
    stretches = []
    for match in NEGATION.finditer(text):
        clause = _CLAUSE.search(text, match.end())
        stretches.append(text[match.end() : clause.start() if clause else len(text)])
    return stretches
