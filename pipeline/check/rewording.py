"""Is a sentence in words of its own supported by the passages it names?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.addresses import strange
from pipeline.check.conditions import left_out
from pipeline.check.contradiction import mixed, turned
from pipeline.check.facts import Date, Quantity
from pipeline.check.figures import exchanged, figure_names
from pipeline.check.ground import Ground, Said, Vocabulary, Word, content, read
from pipeline.check.neighbours import crossed
from pipeline.check.order import other_subject, reversed_change, reversed_roles, reversed_steps
from pipeline.check.risk import Risk, assess, likelihood
from pipeline.check.sources import Part, whole
from pipeline.check.verdict import rejected, supported
from pipeline.text import words
from pipeline.values import Judgement, RetrievedChunk

BEARABLE = 1.0
"""Hazard (see `pipeline.check.risk`) up to which a reworded sentence counts as supported."""
LOOSE_AT_MOST = 0.5
"""Share of its terms that may be missing from the sentences it rests on, however short it is."""
_GROUP = re.compile(r"(?:(?:the|all|our|most|some|both)\s+)?[\w-]+[^\Ws]s\b", re.IGNORECASE)
"""Begins with a noun in the plural: the sentence is about these."""
_STATE = re.compile(
    r"(?:^\W{0,9}\w+|\b(?:is|are|was|were|be|been|stays?|remains?|keeps?|set to|turned|switched)|[:=])\W{1,3}"
    r"(?:\w+ly\W{1,3})?"
    r"(?P<state>on|off|up|down|in|out|over)\W{0,9}$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？][^\w?？]*$")
_DENIES = re.compile(r"\W*(?:no|not|never|nope|nein|non)\b", re.IGNORECASE)
NOTHING = Vocabulary(())


def reworded(text: str, named: Sequence[RetrievedChunk], question: str = "") -> Judgement:
    """Judge `text` against the passages; a condition in the words of the `question` may be left out."""
    return held_against(text, [whole(passage) for passage in named], question)


def held_against(text: str, parts: Sequence[Part], question: str = "") -> Judgement:
    """Judge `text` against the given parts of passages."""
    said = read(text)
    grounds = [part.ground for part in parts]
    risk = assess(said, grounds, NOTHING)
    score = 1 - likelihood(risk.hazard, BEARABLE)
    if added := strange(text, [ground.text for ground in grounds]):
        return rejected(f"{added[0]} is not in the passage")
    if strange(text, []) and strange(text, map(_spoken, parts)):
        return rejected("it rests on an instruction to an assistant", forbidden=True)
    if not said.words:
        return rejected("it says nothing that could be checked")
    ranked = sorted(parts, key=lambda part: -_held(said, part.ground))
    ground = ranked[0].ground
    _, place = ground.covered(said.terms, 1)
    if risk.loose <= LOOSE_AT_MOST and ground.units and ranked[0].ordered(place):
        return rejected("it rests on an instruction to an assistant", forbidden=True)
    if risk.facts or any(word.name for word in risk.words):
        return rejected(f"{_absent(said, risk)} is not in the passage", score)
    if _GROUP.match(text) and not any(ground.knows(term) for ground in grounds for term in said.subject):
        return rejected("what it speaks of is not in the passage", score)
    if risk.hazard > BEARABLE or risk.loose > LOOSE_AT_MOST:
        return rejected("too few of its words are in the passage", score)
    reason = turned(said, grounds) or mixed(said, grounds) or _distorted(said, grounds, question)
    if reason := reason or crossed(said, grounds):
        return rejected(reason, score)
    _, start = ground.covered(said.terms, 2)
    return supported(score, _needed(said, ranked), ground.window(start, 2))


def _spoken(part: Part) -> str:
    """What a part says to its readers, orders to an assistant left out."""
    ground = part.ground
    return "\n".join(ground.sentence(place) for place in range(len(ground.units)) if not part.ordered(place))


def _absent(said: Said, risk: Risk) -> str:
    found: list[Quantity | Date | Word] = [*risk.facts, *(word for word in risk.words if word.name)]
    first = found[0]
    return said.text[first.start : first.end]


def _held(said: Said, ground: Ground) -> int:
    return sum(map(ground.knows, said.terms)) + sum(map(ground.facts.holds, said.facts))


def _needed(said: Said, ranked: Sequence[Part]) -> list[RetrievedChunk]:
    """The best passage, and every other one that has something of the claim which those before it lack."""
    found: list[RetrievedChunk] = []
    have: set[object] = set()
    for part in ranked:
        ground = part.ground
        held = {term for term in said.terms if ground.knows(term)} | {f for f in said.facts if ground.facts.holds(f)}
        if not found or held - have or len(held) == len(set(said.terms)) + len(said.facts):
            found.append(part.passage)
            have |= held
    return found


def _distorted(said: Said, grounds: Sequence[Ground], question: str) -> str:
    """Why none of the units that the claim rests on says it, although they have its words."""
    asked = Vocabulary(content(question))
    reasons = [_distortion(said.text, ground, place, asked) for ground, place in _rests(said, grounds)]
    return reasons[0] if reasons and all(reasons) else ""


def _distortion(claim: str, ground: Ground, place: int, asked: Vocabulary) -> str:
    source = ground.sentence(place)
    if _ASKS.search(source) and not _ASKS.search(claim) and _DENIES.match(_after(ground, place)):
        return "the passage asks and denies it"
    return (
        _at_the_end(claim, source)
        or left_out(claim, source, asked)
        or exchanged(claim, source, ground.headers[place])
        or reversed_change(claim, source)
        or reversed_steps(claim, source)
        or reversed_roles(claim, source)
        or other_subject(claim, source)
    )


def _at_the_end(claim: str, source: str) -> str:
    """Why a claim that ends with `is off` does not have that from `source`; `on` and `off` are no words of content."""
    found = _STATE.search(claim)
    missing = found and found["state"].lower() not in words(source)
    return f"the passage does not say {found['state']}" if found and missing else ""


def _after(ground: Ground, place: int) -> str:
    return ground.sentence(place + 1) if place + 1 < len(ground.units) else ""


def _rests(said: Said, grounds: Sequence[Ground]) -> list[tuple[Ground, int]]:
    """The units that have the most of the claim's words, and of those the ones with the most of its figures."""
    found: dict[tuple[int, int], int] = {}
    for number, ground in enumerate(grounds):
        for term in said.terms:
            for place in ground.where(term):
                found[number, place] = found.get((number, place), 0) + 1
    most = max(found.values(), default=0)
    ours = figure_names(said.text)
    best = [(grounds[number], place) for (number, place), count in sorted(found.items()) if count == most]
    counts = [len(ours & figure_names(ground.sentence(place))) if ours else 0 for ground, place in best]
    return [one for one, count in zip(best, counts, strict=True) if count == max(counts)]
