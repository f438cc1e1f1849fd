"""Documents, sections and sentences that are alike but for the name of what they are about: a customer, a country, a
product."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pipeline.evidence.question_analysis import AUXILIARIES, CAPITALIZED_WORD, IDENTIFIER, AnalyzedQuestion
from pipeline.evidence.scored_units import ScoredUnit, is_anaphoric
from pipeline.words.language import FUNCTION_WORDS
from pipeline.words.qualifiers import is_negation
from pipeline.words.text import STOP_WORDS, WORD, content_terms, distinct_terms, label_terms

# --- Words that stand in one text where another has others: `the standard loan` for `the green loan` ---

PRE_VERB_WORDS = AUXILIARIES | {*"be been not never to you we they i he she nobody everyone".split()}
ALL_FUNCTION_WORDS = frozenset[str](STOP_WORDS).union(*FUNCTION_WORDS.values())
"""Words that name nothing, in any of our languages."""
CLAUSE_BREAK = re.compile(r"[,;:()|.!?](?!\w)|[–—]")
"""What parts a sentence, a heading or a row into what is said of one thing."""

TermContext = tuple[str, str, str]
"""Where a term stands: the one before it, the small words between them, and the one behind it; as much as is known."""


def substituted_terms(wanted: frozenset[str], one: tuple[str, ...], other: Iterable[str]) -> frozenset[str]:
    """The wanted terms, beside others of these or alone, in whose place `other` has terms of its own. Of both, the
    texts that tell what something is about, the nearest first: a sentence, the headings above it, its title."""
    named, known = _named(wanted, one)
    said, found = frozenset[str](), set[str]()
    for text in other if named else ():
        said |= distinct_terms(text)
        own = {place for place, term in _placed(text) if term not in known}
        found |= {term for place, term in named if place in own and term not in said}
    return frozenset(found)


@lru_cache(maxsize=256)
def _named(wanted: frozenset[str], texts: tuple[str, ...]) -> tuple[frozenset[tuple[TermContext, str]], frozenset[str]]:
    """What is wanted and named in the texts, with its places; and all that is wanted or stands in them."""
    placed = {found for text in texts for found in _placed(text)}
    named = {
        (place, term)
        for place, term in placed
        if term in wanted and wanted.issuperset(filter(None, (place[0], place[2])))
    }
    return frozenset(named), wanted.union(*map(distinct_terms, texts))


@lru_cache(maxsize=4096)
def _placed(text: str) -> tuple[tuple[TermContext, str], ...]:
    """The terms that begin a clause or follow a small word that no verb follows, each with its places."""
    return tuple(found for clause in CLAUSE_BREAK.split(text) for found in _in_clause(WORD.findall(clause.lower())))


def _in_clause(spoken: Sequence[str]) -> Iterator[tuple[TermContext, str]]:
    named = [(place, term) for place, word in enumerate(spoken) for term in _term(word)]
    for number, (place, term) in enumerate(named):
        last, before = named[number - 1] if number else (-1, "")
        small = spoken[last + 1 : place]
        if (small[-1] in PRE_VERB_WORDS) if small else number:
            continue
        if number or len(named) == 1:
            yield (before, " ".join(small), ""), term
        following, after = named[number + 1] if number + 1 < len(named) else (0, "")
        if after and all(word in PRE_VERB_WORDS or is_negation(word) for word in spoken[place + 1 : following]):
            yield ("", "", after), term


def _term(word: str) -> Sequence[str]:
    return () if word in ALL_FUNCTION_WORDS or is_negation(word) else content_terms(word)[:1]


# --- Documents, sections and sentences that are alike but for a name ------------------------------

_INSIDE = re.compile(r"[\w,;] $")
"""What stands before a word inside a sentence."""


def has_other_subject(asked: AnalyzedQuestion, one: ScoredUnit, other: ScoredUnit) -> bool:
    """Whether two sentences cannot contradict each other: where one alone is about something that the question names,
    or neither is, and where each is about another part of the question."""
    if _instead(asked, one, other) or _instead(asked, other, one):
        return True
    wanted, near = set(asked.terms), (subject_terms(one), subject_terms(other))
    if wanted & (near[0] - near[1]) and wanted & (near[1] - near[0]):
        return True
    names = asked.names | _written(asked, one, other)
    told = names | asked.thread_names
    mine, theirs = (told & each for each in near)
    if not mine and not theirs:
        return bool(names) and not any(names & _everything(each) for each in (one, other))
    return bool((mine - _everything(other)) or (theirs - _everything(one)))


def is_other_entity(asked: AnalyzedQuestion, best: ScoredUnit, one: ScoredUnit) -> bool:
    """Whether a sentence is about another than the one that the question names, and that the `best` is about."""
    if best.name_coverage > one.name_coverage or not best.term_layers[0].isdisjoint(
        one.term_layers[0].intersection(asked.terms)
    ):
        own = _instead(asked, best, one)
        if (own and best.name_coverage > one.name_coverage) or _same_said(asked, best, one, own):
            return True
    names = asked.names | asked.thread_names | _written(asked, best, one)
    meant = names.intersection(subject_terms(best))
    if not meant or names.intersection(subject_terms(one)) - meant:
        return False
    if best.passage.document.id != one.passage.document.id:
        missing = meant - _everything(one)
        return bool(meant <= missing) and (_titled_alike(best, one) or _parallel(asked, best, one, missing))
    missing = meant - subject_terms(one)
    own = meant - frozenset[str]().union(one.term_layers[0], *one.term_layers[2:])
    return (bool(missing) and _elsewhere(best, one, missing)) or _parallel(asked, best, one, own)


def other_entity_units(asked: AnalyzedQuestion, best: ScoredUnit, units: Sequence[ScoredUnit]) -> frozenset[int]:
    """Which of the units of a passage are about another, with what goes on from them in their paragraph."""
    found, goes_on = set[int](), False
    for one in units:
        goes_on = (
            goes_on
            and not one.passage.chunk.is_on_new_line(one.unit_index)
            and one.term_layers[0].isdisjoint(subject_terms(best) & asked.names)
        )
        goes_on = one.can_answer and (goes_on or is_other_entity(asked, best, one))
        found |= {one.unit_index} if goes_on else set()
    return frozenset(found)


def subject_terms(one: ScoredUnit) -> frozenset[str]:
    """The terms of a sentence, of the one before it and of what stands above them."""
    return frozenset[str]().union(*one.term_layers)


def _instead(asked: AnalyzedQuestion, one: ScoredUnit, other: ScoredUnit) -> frozenset[str]:
    """The terms of the question in the one where the other has words of its own."""
    return substituted_terms(frozenset(asked.terms), _layers(one), _layers(other))


def _layers(one: ScoredUnit) -> tuple[str, ...]:
    """What tells what a sentence is about, the nearest first."""
    said = f"{one.passage.chunk.text_at(one.unit_index - 1)} {one.text}" if is_anaphoric(one) else one.text
    return said, one.passage.chunk.headings_above(one.unit_index), one.passage.document.title


def _elsewhere(best: ScoredUnit, one: ScoredUnit, missing: frozenset[str]) -> bool:
    """Whether it stands under another heading than the one that has the name."""
    mine, theirs = best.term_layers[2], one.term_layers[2]
    return bool(theirs) and mine != theirs and not mine.isdisjoint(missing)


def _titled_alike(best: ScoredUnit, one: ScoredUnit) -> bool:
    """Whether their documents are called the same but for the name."""
    mine, theirs = best.term_layers[3], one.term_layers[3]
    return mine != theirs and 2 * len(mine & theirs) >= min(len(mine), len(theirs)) > 0


def _parallel(asked: AnalyzedQuestion, best: ScoredUnit, one: ScoredUnit, missing: frozenset[str]) -> bool:
    """Whether it says of another what the best sentence says of what is asked."""
    return _same_said(asked, best, one, missing) and not _called(one.text) <= best.term_layers[0]


def _same_said(asked: AnalyzedQuestion, best: ScoredUnit, one: ScoredUnit, missing: frozenset[str]) -> bool:
    """Whether it has all that the best sentence has of what is asked, but for what it is missing."""
    said = (best.term_layers[0] & set(asked.terms)) - missing
    return bool(missing and said) and one.term_layers[0].issuperset(said)


@lru_cache(maxsize=4096)
def _called(text: str) -> frozenset[str]:
    """The terms of a sentence that name what it is about: with a capital, in a code, behind a noun, or first."""
    first = WORD.search(text)
    named = [*CAPITALIZED_WORD.findall(text), *IDENTIFIER.findall(text), *([first.group()] if first else [])]
    return frozenset(term for name in named for term in content_terms(name)) | label_terms(text)


def _everything(one: ScoredUnit) -> frozenset[str]:
    return subject_terms(one) | distinct_terms(one.passage.chunk.text)


def _written(asked: AnalyzedQuestion, *some: ScoredUnit) -> frozenset[str]:
    """Terms of the question that are names in the documents, however they are written in the question, `spain`, and its
    figures: years, versions."""
    names = frozenset[str]().union(*(_proper(one.passage.chunk.text) for one in some))
    return names.intersection(asked.terms) | {term for term in asked.terms if term[0].isdigit()}


@lru_cache(maxsize=1024)
def _proper(text: str) -> frozenset[str]:
    """The terms that are written with a capital inside a sentence, and nowhere without."""
    proper, common = set[str](), set[str]()
    for match in WORD.finditer(text):
        word = match.group()
        if word[0].isupper():
            if _INSIDE.search(text, max(0, match.start() - 2), match.start()):
                proper.update(content_terms(word))
        else:
            common.update(content_terms(word))
    return frozenset(proper - common)
