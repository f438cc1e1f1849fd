"""The last question asked again, of something else: `the southern office?`, `and its weight?`, `and install it?`."""

from __future__ import annotations

import re

from pipeline.phrases import word_pattern
from pipeline.plan.places import (
    ATTRIBUTE,
    COUNTED,
    FOR_A_THING,
    GOVERNED,
    NAMES_PEOPLE,
    OBJECT,
    PLACES,
    SOMEBODY,
    WHO_IS,
    WHOLE,
    WORD,
    WORDS,
)
from pipeline.text import STOP_WORDS, shape, stem, words

_NAME = re.compile(rf"(?P<article>(?:the|a|an|my|our|its|their|his|her)\s+)?(?P<bare>{WORDS})", re.IGNORECASE)
"""What a follow-up may name and nothing else: `contractors`, `the night shift`, `its weight`."""
_THINGS_OF = re.compile(r"(?:its|their|his|her)\s", re.IGNORECASE)
_UNIT = re.compile(r"(?<=\d)\s?[%€$£°]$")
_PROPER = re.compile(r"(?<=\s)[a-z]{0,3}[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
_DESCRIBING = re.compile(r"\w+(?:al|ic|ive|ous|ful|less|able|ible|ary)", re.IGNORECASE)
_VERB_IT = re.compile(r"(?P<verb>[a-z]+(?: (?:up|out|over|in|back|off))?)\s+(?:it|them|that|this|one)")
_NOUN_PHRASE = re.compile(
    r"\b(?:der|die|das|den|dem|ein(?:e[nmr]?)?|mein(?:e[nmr]?)?|unser(?:e[nmr]?)?)\s+(?:[a-zäöüß]+\s+){0,2}?"
    r"[A-ZÄÖÜ][\w-]+|\b(?:le|la|les|l['’]|un|une|el|los|las|una)\s*\b[\w-]+"
)
"""An article and its noun in German, French and Spanish."""
_ASKING = frozenset("what when where which who whom whose why how was wann wo wer warum wie".split())
_QUANTITY = word_pattern("many|much|which|what|other|each|every")

Place = tuple[int, int]


def renamed(name: str, topic: str) -> str:
    """`topic` asked of `name` instead; empty when `name` is more than a name or `topic` has no place for it.

    What is like it gives way first: a thing with the same last word (`the southern office`), a number or code of the
    same form (`machine 77`), a proper name."""
    topic = without_mark(topic)
    if held := _NOUN_PHRASE.search(topic) if _NOUN_PHRASE.fullmatch(name) else None:
        return _put(name, topic, held.span())
    found = _NAME.fullmatch(_UNIT.sub("", name))
    if not found or any(word in _ASKING for word in words(name)):
        return ""
    bare, article = re.sub(r"['’]s$", "", found["bare"]), found["article"] or ""
    if _THINGS_OF.match(article):
        held = ATTRIBUTE.match(topic)
        return _put(f"the {bare}", topic, held.span("who")) if held else ""
    if place := _same_noun(bare, topic) or _same_form(bare, topic) or _proper(bare, topic):
        owned = topic[place[0] : place[1]].endswith(("'s", "’s"))
        return _put(found["bare"] if owned else bare, topic, place)
    if place := _of_its_kind(article, bare, topic):
        return _put(article + bare, topic, place)
    people = SOMEBODY if NAMES_PEOPLE.fullmatch(bare) else ()
    return _in_place(article, bare, topic, (*people, *PLACES))


def for_whom(name: str, topic: str) -> str:
    """`topic` asked for `name`; empty where its subject is not somebody, who could be another."""
    topic = without_mark(topic)
    found = _NAME.fullmatch(name)
    if not found:
        return ""
    place = _same_form(found["bare"], topic) or _proper(found["bare"], topic)
    if place and GOVERNED.search(topic, 0, place[0]):
        return _put(found["bare"], topic, place)
    return "" if found["article"] or place else _in_place("", found["bare"], topic, SOMEBODY)


def done(what: str, topic: str) -> str:
    """`How do I open it?` for `close it`: what is done, done otherwise; empty when `what` is no such thing."""
    topic = without_mark(topic)
    verb, held = _VERB_IT.fullmatch(what), OBJECT.search(topic)
    return _put(verb["verb"], topic, held.span("verb")) if verb and held else ""


def _put(name: str, topic: str, place: Place) -> str:
    return f"{topic[: place[0]]}{name}{topic[place[1] :]}?"


def _of_its_kind(article: str, bare: str, topic: str) -> Place | None:
    """The thing that gives way to a thing rather than the person or the named product it is asked about."""
    if _is_proper(bare):
        held = WHO_IS.fullmatch(topic) if article else None
        return held.span("who") if held else None
    if not NAMES_PEOPLE.fullmatch(bare):
        if not article and (held := COUNTED.match(topic)):
            return held.span("who")
        held = OBJECT.search(topic)
        if held and FOR_A_THING.match(topic, held.end("who")):
            return None
        if held and not (held["thing"] and article):
            return held.span("who")
    if article.strip().lower() not in ("the", "my", "our"):
        return None
    attribute = ATTRIBUTE.match(topic)
    if attribute and (_is_proper(attribute["of"]) or not attribute["the"]):
        return attribute.span("who")
    whole = WHOLE.match(topic)
    return whole.span("who") if whole and whole.end() == len(topic) else None


def _in_place(article: str, bare: str, topic: str, places: tuple[re.Pattern[str], ...]) -> str:
    for pattern in places:
        if held := pattern.search(topic):
            if "bare" in pattern.groupindex:
                return _put(bare, topic, held.span("bare"))
            *described, noun = held["who"].split()
            kept = f" {noun}" if described and not article and _DESCRIBING.fullmatch(bare) else ""
            return _put(article + bare + kept, topic, held.span("who"))
    return ""


def _same_noun(bare: str, topic: str) -> Place | None:
    """The words of `topic` that end in the last word of `bare`, as many as that has and at least two."""
    named = bare.split()
    tokens = list(re.finditer(WORD, topic))
    last = next((n for n, token in enumerate(tokens) if _stem(token.group()) == _stem(named[-1])), None)
    if last is None or named[-1].lower() in STOP_WORDS:
        return None
    first = last
    while first > 0 and last - first < max(1, len(named) - 1) and _describes(tokens[first - 1].group()):
        first -= 1
    return tokens[first].start(), tokens[last].end()


def _describes(word: str) -> bool:
    return word.lower() not in STOP_WORDS and not _QUANTITY.fullmatch(word)


def _same_form(bare: str, topic: str) -> Place | None:
    """The number or code in `topic` that looks like the one `bare` ends with, with the word before where that is the
    same."""
    *before, code = bare.split()
    if not any(character.isdigit() for character in code):
        return None
    like = [token for token in re.finditer(WORD, topic) if shape(token.group()) == shape(code)]
    if not like:
        return None
    start, led = like[-1].start(), " ".join(before)
    if led and topic[:start].rstrip().lower().endswith(led.lower()):
        start = len(topic[:start].rstrip()) - len(led)
    return start, like[-1].end()


def _proper(bare: str, topic: str) -> Place | None:
    """The last proper name of `topic`, for another one."""
    names = list(_PROPER.finditer(topic)) if _is_proper(bare) else []
    names = [name for name in names if name.group() != "I"]
    return names[-1].span() if names else None


def _is_proper(name: str) -> bool:
    return name[0].isupper() and name.split()[-1][0].isupper()


def _stem(word: str) -> str:
    return stem(word.lower())


def without_mark(question: str) -> str:
    """`question` without the mark at its end."""
    return question.strip().rstrip("?!. ")
