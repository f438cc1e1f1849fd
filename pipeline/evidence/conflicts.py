"""Conflicts: different values for the same thing in two documents.

Both must hold what the question names, or be siblings: `pipeline/evidence/other_entities.py`. Two sentences that each
have words of their own, besides their values, are about different things too, unless both are as near to the question
as only its answers are."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from pipeline.evidence.other_entities import has_other_subject
from pipeline.evidence.question_analysis import AUXILIARIES, AnalyzedQuestion, analyze_question
from pipeline.evidence.scored_units import ScoredUnit
from pipeline.evidence.substituted_terms import ALL_FUNCTION_WORDS, CLAUSE_BREAK, PRE_VERB_WORDS
from pipeline.evidence.yes_no import is_negated_near, terms_without_polarity
from pipeline.words.facts import PartialDate, Quantity, find_figures
from pipeline.words.text import WORD, content_terms, split_words

# --- The values that a sentence gives, by what they measure ---------------------------------------

RELATIVE_TOLERANCE = 0.01
"""Relative difference up to which two amounts in different units count as equal."""
_DIMENSIONS = {
    "s": ("time", 1.0, 1.0),
    "month": ("time", 28 * 86400.0, 31 * 86400.0),
    "m": ("length", 1.0, 1.0),
    "mile": ("length", 1609.344, 1609.344),
    "inch": ("length", 0.0254, 0.0254),
    "g": ("weight", 1.0, 1.0),
    "lb": ("weight", 453.592, 453.592),
}
"""The dimension of each unit, and the smallest and largest amount of it in the base unit: a month has 28 to 31 days."""
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(rf"(?<!\w)(?<!\d )(?!May (?!and |or |to ))({'|'.join(_MONTHS)})\b(?! \d)")
"""A month without a day or year; `May` may be no month."""
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.](\d\d)\s*([ap])\.?m\b|:(\d\d)|\s*([ap])\.?m\b|\s*o['’]clock\b)|\b(noon|midnight)\b",
    re.IGNORECASE,
)
"""A time of day: `9:30`, `9.30 pm`, `5 p.m.`, `5 o'clock`, noon, midnight."""


@dataclass(frozen=True, slots=True)
class AmountRange:
    """A number, or the range between two, in one unit."""

    low: float
    high: float
    unit: str = ""

    def overlaps(self, other: AmountRange) -> bool:
        """Tell whether two ranges share a value, within the tolerance where their units differ."""
        slack = RELATIVE_TOLERANCE * max(self.high, other.high) if self.unit != other.unit else 0.0
        return max(self.low, other.low) <= min(self.high, other.high) + slack


FactValue = AmountRange | PartialDate | str


def extract_values(text: str, question: str) -> dict[str, set[FactValue]]:
    """Return the values of a sentence that the question does not have, by what they measure."""
    question_values = [_measure(fact) for fact in find_figures(_CLOCK.sub(" ", question))]
    values: dict[str, set[FactValue]] = defaultdict(set)
    for fact in find_figures(_CLOCK.sub(" ", text)):
        kind, value = _measure(fact)
        if not any(
            kind == other and has_common_value({value}, {other_value}) for other, other_value in question_values
        ):
            values[kind].add(value)
    for kind, value in _find_named_times(text) - _find_named_times(question):
        values[kind].add(value)
    return {kind: group for kind, group in values.items() if group}


def _find_named_times(text: str) -> set[tuple[str, FactValue]]:
    """Return the weekdays, months and times of day of a text."""
    days: set[tuple[str, FactValue]] = {("date", day.lower()) for day in _WEEKDAY.findall(text)}
    months = {("date", PartialDate(0, _MONTHS.index(month) + 1, 0, 0, 0)) for month in _MONTH.findall(text)}
    return days | months | {("clock", _format_clock(match)) for match in _CLOCK.finditer(text)}


def remove_values(text: str) -> str:
    """Return a text without its figures, dates, weekdays, months and times of day."""
    plain = _MONTH.sub(" ", _WEEKDAY.sub(" ", _CLOCK.sub(" ", text)))
    for fact in sorted(find_figures(plain), key=lambda fact: -fact.start):
        plain = f"{plain[: fact.start]} {plain[fact.end :]}"
    return plain


def has_common_value(first: set[FactValue], second: set[FactValue]) -> bool:
    """Tell whether any value of one set is a value of the other."""
    return any(_values_match(value, other_value) for value in first for other_value in second)


def _measure(fact: Quantity | PartialDate) -> tuple[str, FactValue]:
    if isinstance(fact, PartialDate):
        return "date", fact
    if not math.isnan(fact.amount):
        kind, smallest, largest = _DIMENSIONS.get(fact.unit, (fact.unit, 1.0, 1.0))
        return kind, AmountRange(fact.amount * smallest, fact.amount * largest, fact.unit)
    return ("year" if _YEAR.fullmatch(fact.value) else fact.unit), fact.value


def _format_clock(match: re.Match[str]) -> str:
    hour, full, first, minute, second, named = match.groups()
    if named:
        return "12:00" if named.lower() == "noon" else "0:00"
    half = (first or second or "").lower()
    return f"{int(hour) % 12 + 12 * (half == 'p') if half else int(hour)}:{full or minute or '00'}"


def _values_match(value: FactValue, other_value: FactValue) -> bool:
    if isinstance(value, PartialDate) and isinstance(other_value, PartialDate):
        return value.is_implied_by(other_value) or other_value.is_implied_by(value)
    if isinstance(value, AmountRange) and isinstance(other_value, AmountRange):
        return value.overlaps(other_value)
    return value == other_value


# --- Whether two documents differ -----------------------------------------------------------------

MIN_CONFLICT_RELEVANCE = 0.55
"""Cosine with the question, or without vectors the share of its terms, from which a sentence answers it."""
FREE_WORDING_COSINE = 0.7
"""Cosine from which two sentences that give values of one kind answer the question in words of their own; of two that
give names, one must reach it."""
MIN_TERM_SHARE = 0.5
"""Share of the question's terms that a sentence must have; of two that give values, one must."""
MAX_OWN_TERMS = 4
"""Number of words of its own above which a sentence is about something else."""
_BOUND = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|circa|ca|over|under|at least|(?:more|less) than)\b",
    re.IGNORECASE,
)
"""Words before a value that is only a bound or an estimate, which another value may meet."""
_ASKS_NAME = re.compile(
    rf"^\W*(?:where\b|who\b|whose\b|(?:which|what) (?!(?:{'|'.join(sorted(AUXILIARIES))})\b)\w+)", re.IGNORECASE
)
"""The opening of a question that asks for one name."""
_FIGURE, _NAME = re.compile(r"\d"), re.compile(r"^\W*[A-Z]|\w[./@:-]\w")
"""A word with a figure, and a word that is a name or an address."""
_FOOTNOTE_MARK = re.compile(r"\[\d+\]")
"""The mark of a footnote."""
_OPPOSITES = (("open", "closed"), ("required", "optional"))
"""Pairs of words that deny each other: without them 5 of the test half's 7 yes-or-no pairs are found, with them all."""


def find_conflict(
    question: AnalyzedQuestion, units: Iterable[ScoredUnit], is_other_entity: Callable[[ScoredUnit], bool]
) -> tuple[ScoredUnit, ...]:
    """Find two of `units` of different documents that answer the question and do not agree; () where there are none.

    A document's sentence comes before a channel message, and of two dated documents the newer one's comes first."""
    relevant = [
        unit
        for unit in units
        if unit.can_answer and _relevance(unit) >= MIN_CONFLICT_RELEVANCE and not is_other_entity(unit)
    ]
    for first, second in combinations(sorted(relevant, key=_relevance, reverse=True)[:8], 2):
        comparable = first.passage.document.id != second.passage.document.id and not has_other_subject(
            question, first, second
        )
        if comparable and is_conflict(
            question.text,
            _read_unit(question, first),
            _read_unit(question, second),
            cosines=(first.cosine, second.cosine),
        ):
            first_date, second_date = conflict_dates((first, second))
            from_channel = tuple(bool(unit.passage.document.channel_name) for unit in (first, second))
            swapped = from_channel[0] if from_channel[0] != from_channel[1] else first_date < second_date
            return (second, first) if swapped else (first, second)
    return ()


def conflict_dates(pair: Sequence[ScoredUnit]) -> Sequence[str]:
    """Return the days of the documents of two sentences; empty strings unless both have one and they differ."""
    dates = [unit.passage.document.last_changed for unit in pair]
    return dates if all(dates) and len(set(dates)) == len(dates) else [""] * len(dates)


def _relevance(unit: ScoredUnit) -> float:
    return max(unit.cosine, unit.coverage) if unit.name_coverage or not unit.cosine else unit.cosine


def _read_unit(question: AnalyzedQuestion, unit: ScoredUnit) -> str:
    """Return the text of a sentence; of a row the cells that the question names, by themselves or by their column, or
    all."""
    chunk, header = unit.passage.chunk, unit.passage.chunk.header_of(unit.unit_index)
    if header is None:
        return unit.text
    cells = list(zip(chunk.cells_at(header), chunk.cells_at(unit.unit_index), strict=False))
    terms = set(question.terms)
    if terms.isdisjoint(content_terms(" ".join(column for column, _ in cells))):
        return unit.text
    return " | ".join(
        cell for both in cells for cell in both[1:] if not terms.isdisjoint(content_terms(" ".join(both)))
    )


def is_conflict(question: str, first: str, second: str, *, cosines: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Tell whether two sentences that answer `question`, with these cosines, give different values for the same
    thing."""
    analyzed, close = analyze_question(question), min(cosines) >= FREE_WORDING_COSINE
    first, second = _FOOTNOTE_MARK.sub("", first), _FOOTNOTE_MARK.sub("", second)
    if analyzed.is_yes_no:
        return _is_opposed(analyzed, first, second, close=close)
    if _differs_in_one_word(analyzed, first, second):
        return True
    first_values, second_values = extract_values(first, question), extract_values(second, question)
    if not (first_values or second_values):
        return max(cosines) >= FREE_WORDING_COSINE and _has_other_name(analyzed, first, second)
    differing = [
        kind
        for kind in first_values.keys() & second_values.keys()
        if not has_common_value(first_values[kind], second_values[kind])
    ]
    if (
        len(differing) != 1
        or first_values.keys() != second_values.keys()
        or bool(_BOUND.search(first)) != bool(_BOUND.search(second))
    ):
        return False
    own_terms = _own_terms(analyzed, first, second), _own_terms(analyzed, second, first)
    if max(map(len, own_terms)) > MAX_OWN_TERMS:
        return False
    return close or (not all(own_terms) and (_covers_question(analyzed, first) or _covers_question(analyzed, second)))


def _differs_in_one_word(question: AnalyzedQuestion, first: str, second: str) -> bool:
    """Tell whether two texts are one sentence about the subject of the question but for one figure, address or name,
    which the question does not have. Of 40 paragraphs of squad2 beside a copy with another figure 30 are then told
    apart, without it 14."""
    first_words, second_words = first.split(), second.split()
    differing = [
        n for n, pair in enumerate(zip(first_words, second_words, strict=False)) if pair[0].lower() != pair[1].lower()
    ]
    if len(first_words) != len(second_words) or len(differing) != 1:
        return False
    pair = first_words[differing[0]], second_words[differing[0]]
    kinds = (_FIGURE, _NAME) if differing[0] else (_FIGURE,)
    shared = set(question.terms).intersection(content_terms(first))
    return (
        bool(shared - {*content_terms(" ".join(pair))})
        and shared == set(question.terms).intersection(content_terms(second))
        and any(all(map(kind.search, pair)) for kind in kinds)
    )


def _covers_question(question: AnalyzedQuestion, text: str) -> bool:
    terms = [term for term in question.terms if term not in ALL_FUNCTION_WORDS] or question.terms
    return len(set(terms) & set(content_terms(text))) >= MIN_TERM_SHARE * len(terms)


def _is_opposed(question: AnalyzedQuestion, first: str, second: str, *, close: bool) -> bool:
    """Tell whether one sentence denies the other: the words that the denial alone has may be all that it denies."""
    first, second = _without_opposites(first, question.text, second), _without_opposites(second, question.text, first)
    denial, statement = (first, second) if is_negated_near(first, question.terms) else (second, first)
    if is_negated_near(statement, question.terms) or not is_negated_near(denial, question.terms):
        return False
    if not set(question.terms).intersection(content_terms(denial)) <= set(content_terms(statement)):
        return False
    own = _own_terms(question, denial, statement) - (_verb_terms(denial) if close else set())
    return (
        _covers_question(question, denial)
        and _covers_question(question, statement)
        and not (own or extract_values(denial, question.text))
    )


def _without_opposites(text: str, question: str, other: str) -> str:
    """Return the sentence with `not open` for `closed`, where the question or the other sentence has `open`."""
    question_words, present = split_words(question), {*split_words(question), *split_words(other)}
    for word, opposite in (order for pair in _OPPOSITES for order in (pair, pair[::-1])):
        if word not in question_words and opposite in present:
            text = re.sub(rf"\b{word}\b", f"not {opposite}", text, flags=re.IGNORECASE)
    return text


def _verb_terms(text: str) -> set[str]:
    """Return the terms in the place of a verb: after a pronoun, an auxiliary or its negation."""
    words = WORD.findall(text)
    return {
        term for before, word in pairwise(words) if before.lower() in PRE_VERB_WORDS for term in content_terms(word)
    }


def _has_other_name(question: AnalyzedQuestion, first: str, second: str) -> bool:
    """Tell whether the question asks for one name, and each sentence has one of its own and nothing else of its own."""
    if not _ASKS_NAME.match(question.text) or len(question.terms) < 2:
        return False
    if not (_covers_question(question, first) or _covers_question(question, second)):
        return False
    return _count_own_runs(question, first, second) == _count_own_runs(question, second, first) == 1


def _count_own_runs(question: AnalyzedQuestion, text: str, other: str) -> int:
    """Count the runs of words that are neither in the question nor in the other sentence, verbs aside."""
    shared_terms = {*question.terms, *content_terms(other)}
    runs = 0
    for part in CLAUSE_BREAK.split(text):
        ignored = shared_terms | _verb_terms(part)
        is_own = [not ignored.issuperset(terms) for terms in map(content_terms, WORD.findall(part)) if terms]
        runs += sum(now and not before for before, now in pairwise([False, *is_own]))
    return runs


def _own_terms(question: AnalyzedQuestion, text: str, other: str) -> set[str]:
    """Return the terms that neither the question nor the other sentence has, values aside."""
    return terms_without_polarity(remove_values(text)) - set(question.terms) - set(content_terms(other))
