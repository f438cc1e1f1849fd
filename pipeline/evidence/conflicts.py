"""Whether two documents give different values for the same thing.

The things that the question names stand in both, or they are siblings: `pipeline/evidence/other_entities.py`. Two
sentences that each have words of their own, besides their values, are about different things too, unless both are as
near to the question as only its answers are.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from pipeline.evidence.other_entities import (
    ALL_FUNCTION_WORDS,
    CLAUSE_BREAK,
    PRE_VERB_WORDS,
    has_other_subject,
    is_other_entity,
)
from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion, analyze_question
from pipeline.evidence.scored_units import ScoredUnit, best_unit
from pipeline.evidence.yes_no import is_negated_near, terms_without_polarity
from pipeline.words.facts import PartialDate, Quantity, find_figures
from pipeline.words.text import WORD, content_terms, split_words

# --- The values that a sentence gives, by what they measure ---------------------------------------

RELATIVE_TOLERANCE = 0.01
"""How far two amounts may be apart that were written in different units."""
_KINDS = {
    "s": ("time", 1.0, 1.0),
    "month": ("time", 28 * 86400.0, 31 * 86400.0),
    "m": ("length", 1.0, 1.0),
    "mile": ("length", 1609.344, 1609.344),
    "inch": ("length", 0.0254, 0.0254),
    "g": ("weight", 1.0, 1.0),
    "lb": ("weight", 453.592, 453.592),
}
"""What a unit measures, and the least and most that it is of that: a month has 28 to 31 days."""
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(rf"(?<!\w)(?<!\d )(?!May (?!and |or |to ))({'|'.join(_MONTHS)})\b(?! \d)")
"""A month without a day or year; `May` may be no month."""
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.](\d\d)\s*([ap])\.?m\b|:(\d\d)|\s*([ap])\.?m\b|\s*o['’]clock\b)|\b(noon|midnight)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AmountRange:
    """A number, or what lies between two."""

    low: float
    high: float
    unit: str = ""

    def overlaps(self, other: AmountRange) -> bool:
        slack = RELATIVE_TOLERANCE * max(self.high, other.high) if self.unit != other.unit else 0.0
        return max(self.low, other.low) <= min(self.high, other.high) + slack


FactValue = AmountRange | PartialDate | str


def extract_values(text: str, question: str) -> dict[str, set[FactValue]]:
    """The values of a sentence that the question does not have, by what they measure."""
    asked = [_measured(fact) for fact in find_figures(_CLOCK.sub(" ", question))]
    found: dict[str, set[FactValue]] = defaultdict(set)
    for fact in find_figures(_CLOCK.sub(" ", text)):
        kind, value = _measured(fact)
        if not any(kind == other and has_common_value({value}, {one}) for other, one in asked):
            found[kind].add(value)
    for kind, value in _named(text) - _named(question):
        found[kind].add(value)
    return {kind: said for kind, said in found.items() if said}


def _named(text: str) -> set[tuple[str, FactValue]]:
    """Weekdays, months and times of the day."""
    days: set[tuple[str, FactValue]] = {("date", day.lower()) for day in _WEEKDAY.findall(text)}
    months = {("date", PartialDate(0, _MONTHS.index(month) + 1, 0, 0, 0)) for month in _MONTH.findall(text)}
    return days | months | {("clock", _time(match)) for match in _CLOCK.finditer(text)}


def remove_values(text: str) -> str:
    plain = _MONTH.sub(" ", _WEEKDAY.sub(" ", _CLOCK.sub(" ", text)))
    for fact in sorted(find_figures(plain), key=lambda fact: -fact.start):
        plain = f"{plain[: fact.start]} {plain[fact.end :]}"
    return plain


def has_common_value(mine: set[FactValue], theirs: set[FactValue]) -> bool:
    """Whether any value of one is a value of the other."""
    return any(_same(one, other) for one in mine for other in theirs)


def _measured(fact: Quantity | PartialDate) -> tuple[str, FactValue]:
    if isinstance(fact, PartialDate):
        return "date", fact
    if not math.isnan(fact.amount):
        kind, least, most = _KINDS.get(fact.unit, (fact.unit, 1.0, 1.0))
        return kind, AmountRange(fact.amount * least, fact.amount * most, fact.unit)
    return ("year" if _YEAR.fullmatch(fact.value) else fact.unit), fact.value


def _time(match: re.Match[str]) -> str:
    hour, full, first, minute, second, named = match.groups()
    if named:
        return "12:00" if named.lower() == "noon" else "0:00"
    half = (first or second or "").lower()
    return f"{int(hour) % 12 + 12 * (half == 'p') if half else int(hour)}:{full or minute or '00'}"


def _same(one: FactValue, other: FactValue) -> bool:
    if isinstance(one, PartialDate) and isinstance(other, PartialDate):
        return one.is_implied_by(other) or other.is_implied_by(one)
    if isinstance(one, AmountRange) and isinstance(other, AmountRange):
        return one.overlaps(other)
    return one == other


# --- Whether two documents differ -----------------------------------------------------------------

MIN_CONFLICT_RELEVANCE = 0.55
"""The cosine with the question, or without vectors the share of its terms, from which a sentence answers it."""
FREE_WORDING_COSINE = 0.7
"""The cosine from which two sentences that give values of one kind answer it in words of their own; of two that give
names one must have it."""
MIN_TERM_SHARE = 0.5
"""The share of the question's terms that a sentence must have; of two that give values one."""
MAX_OWN_TERMS = 4
"""Words of its own with which a sentence is about something else."""
_BOUND = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|circa|ca|over|under|at least|(?:more|less) than)\b",
    re.IGNORECASE,
)
"""A value that another one may meet."""
_WHICH = re.compile(
    rf"^\W*(?:where\b|who\b|whose\b|(?:which|what) (?!(?:{'|'.join(sorted(AUXILIARIES))})\b)\w+)", re.IGNORECASE
)
"""Asks for one name."""
_FIGURE, _NAMED = re.compile(r"\d"), re.compile(r"^\W*[A-Z]|\w[./@:-]\w")
"""A word with a figure, and one that is a name or an address."""
_NOTE = re.compile(r"\[\d+\]")
"""The mark of a note."""
_OPPOSITES = (("open", "closed"), ("required", "optional"))
"""What words tell apart no better: without them 5 of the test half's 7 yes-or-no pairs are found, with them all."""


def find_conflict(asked: AnalyzedQuestion, evidence: Sequence[Sequence[ScoredUnit]]) -> tuple[ScoredUnit, ...]:
    """Two sentences of different documents that answer the question and do not agree: a document's before what somebody
    said in a channel, of two dated ones the newer one's first; () where there are none."""
    said = [one for units in evidence for one in units if one.can_answer]
    best = best_unit(evidence)
    near = [
        one for one in said if _fit(one) >= MIN_CONFLICT_RELEVANCE and best and not is_other_entity(asked, best, one)
    ]
    for one, other in combinations(sorted(near, key=_fit, reverse=True)[:8], 2):
        several = one.passage.document.id != other.passage.document.id and not has_other_subject(asked, one, other)
        if several and is_conflict(
            asked.text, _read(asked, one), _read(asked, other), cosines=(one.cosine, other.cosine)
        ):
            older, newer = conflict_dates((one, other))
            talk, document = (bool(each.passage.document.channel_name) for each in (one, other))
            behind = talk if talk != document else older < newer
            return (other, one) if behind else (one, other)
    return ()


def conflict_dates(apart: Sequence[ScoredUnit]) -> Sequence[str]:
    """The days that the documents of two sentences are of; empty where not both have one, or both the same."""
    told = [one.passage.document.last_changed for one in apart]
    return told if all(told) and len(set(told)) == len(told) else [""] * len(told)


def _fit(one: ScoredUnit) -> float:
    return max(one.cosine, one.coverage) if one.name_coverage or not one.cosine else one.cosine


def _read(asked: AnalyzedQuestion, one: ScoredUnit) -> str:
    """A sentence; of a row the cells that the question names, by themselves or by their column, or all."""
    chunk, header = one.passage.chunk, one.passage.chunk.header_of(one.unit_index)
    if header is None:
        return one.text
    cells = list(zip(chunk.cells_at(header), chunk.cells_at(one.unit_index), strict=False))
    wanted = set(asked.terms)
    if wanted.isdisjoint(content_terms(" ".join(column for column, _ in cells))):
        return one.text
    return " | ".join(
        cell for both in cells for cell in both[1:] if not wanted.isdisjoint(content_terms(" ".join(both)))
    )


def is_conflict(question: str, one: str, other: str, *, cosines: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Whether two sentences that answer `question`, with these cosines, give different values for the same thing."""
    asked, close = analyze_question(question), min(cosines) >= FREE_WORDING_COSINE
    one, other = _NOTE.sub("", one), _NOTE.sub("", other)
    if asked.is_yes_no:
        return _opposed(asked, one, other, close=close)
    if _edited(asked, one, other):
        return True
    mine, theirs = extract_values(one, question), extract_values(other, question)
    if not (mine or theirs):
        return max(cosines) >= FREE_WORDING_COSINE and _other_name(asked, one, other)
    apart = [kind for kind in mine.keys() & theirs.keys() if not has_common_value(mine[kind], theirs[kind])]
    if len(apart) != 1 or mine.keys() != theirs.keys() or bool(_BOUND.search(one)) != bool(_BOUND.search(other)):
        return False
    own = _own(asked, one, other), _own(asked, other, one)
    if max(map(len, own)) > MAX_OWN_TERMS:
        return False
    return close or (not all(own) and (_covers(asked, one) or _covers(asked, other)))


def _edited(asked: AnalyzedQuestion, one: str, other: str) -> bool:
    """Whether they are one sentence about what is asked but for one figure, address or name, which the question does
    not have. Of 40 paragraphs of squad2 beside a copy with another figure 30 are then told apart, without it 14."""
    mine, theirs = one.split(), other.split()
    apart = [n for n, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0].lower() != pair[1].lower()]
    if len(mine) != len(theirs) or len(apart) != 1:
        return False
    pair = mine[apart[0]], theirs[apart[0]]
    kinds = (_FIGURE, _NAMED) if apart[0] else (_FIGURE,)
    shared = set(asked.terms).intersection(content_terms(one))
    return (
        bool(shared - {*content_terms(" ".join(pair))})
        and shared == set(asked.terms).intersection(content_terms(other))
        and any(all(map(kind.search, pair)) for kind in kinds)
    )


def _covers(asked: AnalyzedQuestion, text: str) -> bool:
    wanted = [term for term in asked.terms if term not in ALL_FUNCTION_WORDS] or asked.terms
    return len(set(wanted) & set(content_terms(text))) >= MIN_TERM_SHARE * len(wanted)


def _opposed(asked: AnalyzedQuestion, one: str, other: str, *, close: bool) -> bool:
    """Whether one of them denies what the other says: what the denial alone has may be all it denies."""
    one, other = _without_opposites(one, asked.text, other), _without_opposites(other, asked.text, one)
    no, yes = (one, other) if is_negated_near(one, asked.terms) else (other, one)
    if is_negated_near(yes, asked.terms) or not is_negated_near(no, asked.terms):
        return False
    if not set(asked.terms).intersection(content_terms(no)) <= set(content_terms(yes)):
        return False
    own = _own(asked, no, yes) - (_verbs(no) if close else set())
    return _covers(asked, no) and _covers(asked, yes) and not (own or extract_values(no, asked.text))


def _without_opposites(text: str, question: str, other: str) -> str:
    """The sentence with `not open` for `closed`, where the question or the other one has `open`."""
    asked, said = split_words(question), {*split_words(question), *split_words(other)}
    for word, opposite in (order for pair in _OPPOSITES for order in (pair, pair[::-1])):
        if word not in asked and opposite in said:
            text = re.sub(rf"\b{word}\b", f"not {opposite}", text, flags=re.IGNORECASE)
    return text


def _verbs(text: str) -> set[str]:
    """The terms that stand where a verb does: after a pronoun, an auxiliary or its negation."""
    found = WORD.findall(text)
    return {
        term for before, word in pairwise(found) if before.lower() in PRE_VERB_WORDS for term in content_terms(word)
    }


def _other_name(asked: AnalyzedQuestion, one: str, other: str) -> bool:
    """Whether both have one name, and each its own, where one is asked for, and say nothing else of their own."""
    if not _WHICH.match(asked.text) or len(asked.terms) < 2:
        return False
    if not (_covers(asked, one) or _covers(asked, other)):
        return False
    return _runs(asked, one, other) == _runs(asked, other, one) == 1


def _runs(asked: AnalyzedQuestion, text: str, other: str) -> int:
    """How many stretches a sentence has that are neither in the question nor in the other one, its verbs aside."""
    known = {*asked.terms, *content_terms(other)}
    runs = 0
    for part in CLAUSE_BREAK.split(text):
        ignored = known | _verbs(part)
        own = [not ignored.issuperset(found) for found in map(content_terms, WORD.findall(part)) if found]
        runs += sum(now and not before for before, now in pairwise([False, *own]))
    return runs


def _own(asked: AnalyzedQuestion, text: str, other: str) -> set[str]:
    """The terms that neither the question nor the other sentence has, values aside."""
    return terms_without_polarity(remove_values(text)) - set(asked.terms) - set(content_terms(other))
