"""The last question asked again, of something else or for its reason: `and the southern office?`, `why?`."""

from __future__ import annotations

import re

from pipeline.phrases import word_pattern
from pipeline.text import STOP_WORDS, shape, stem, words

_ARTICLE = r"(?:the|a|an|my|our)\s+"
_WORDS = r"[\w'’-]+(?:\s+[\w'’-]+){0,2}"
_NAME = re.compile(rf"(?:{_ARTICLE})?(?P<bare>{_WORDS})", re.IGNORECASE)
"""What a follow-up may name and nothing else: `contractors`, `the night shift`."""
_PRONOUNS = r"(?:i|we|you|it|they|he|she|one|people|someone)\b"
_ENDS = r"\s+[\w'’-]+(?:[?.!]*$|\s+(?:a|an|the|my|our|per|for|of|in|to|with|on|at|from|by|under|during|after|before"
_ENDS += r"|abroad|remotely|home|here|there|together|online)\b)"
_DOES = r"\b(?:do|does|did|can|may|must|should|will|could)\s+"
_PLACES = (
    re.compile(
        rf"{_DOES}(?!{_PRONOUNS})(?P<who>(?:{_ARTICLE})?(?:[\w'’-]+\s+){{0,2}}?[\w'’-]+)(?={_ENDS})", re.IGNORECASE
    ),
    re.compile(
        rf"^(?:is|are|was|were)\s+(?!{_PRONOUNS}|there\b)(?P<who>(?:{_ARTICLE})?(?:[\w'’-]+\s+){{0,2}}?[\w'’-]+)(?={_ENDS})",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:for|of)\s+(?P<who>(?:{_ARTICLE})?{_WORDS})$", re.IGNORECASE),
    re.compile(
        rf"^(?:who|what|which \w+)\s+(?!(?:is|are|was|were|do|does|did|can|may|must|should|will|could|has|have)\b)"
        rf"[\w'’-]+\s+(?P<who>(?:{_ARTICLE})?{_WORDS})$",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:is|are|was|were)\s+{_ARTICLE}(?P<bare>{_WORDS}?)(?={_ENDS})", re.IGNORECASE),
    re.compile(rf"{_DOES}(?P<who>{_PRONOUNS})(?={_ENDS})", re.IGNORECASE),
)
"""Where the last question says what it is about: its subject, what it is `for`, the object of `who`, what stands
before the noun it asks for (`the hotel limit`), and where nothing else does, `I`."""
_PROPER = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
_MEASURED = re.compile(
    r"^(?:how (?P<how>\w+)|which|what)(?P<noun>(?:\s+(?!(?:is|are|was|were)\b)[\w'’-]+){0,3}?)\s+"
    r"(?P<rest>(?:is|are|was|were|do|does|did|can|may|must|should|will|could|has|have)\s.+)$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:how|when|where|who|whom)\s+(?P<rest>(?:is|are|was|were|do|does|did|can|may|must|should|will|could)\s.+)$",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"^(?:is|are|was|were|do|does|did|can|may|must|should|will|could|has|have)\s.+$", re.IGNORECASE)
_WHY = re.compile(
    r"(?:(?:and|but|so|ok(?:ay)?),?\s+)?(?:why|how come|what for)(?:\s+(?:not|so|(?:is|was)\s+(?:that|it|this)))?",
    re.IGNORECASE,
)
_ASKING = frozenset("what when where which who whom whose why how was wann wo wer warum wie".split())
_QUANTITY = word_pattern("many|much|which|what|other|each|every")


def renamed(name: str, topic: str) -> str:
    """`topic` asked of `name` instead; empty when `name` is more than a name or `topic` has no place for it.

    What is like it gives way first: a thing with the same last word (`the southern office`), a number or code of the
    same form (`machine 77`), a proper name."""
    found = _NAME.fullmatch(name)
    topic = without_mark(topic)
    if not found or any(word in _ASKING for word in words(name)):
        return ""
    bare = found["bare"]
    place = _same_noun(bare, topic) or _same_form(bare, topic) or _proper(bare, topic)
    if place:
        return f"{topic[: place[0]]}{bare}{topic[place[1] :]}?"
    for pattern in _PLACES:
        if held := pattern.search(topic):
            part = "who" if "who" in pattern.groupindex else "bare"
            return f"{topic[: held.start(part)]}{name if part == 'who' else bare}{topic[held.end(part) :]}?"
    return ""


def _same_noun(bare: str, topic: str) -> tuple[int, int] | None:
    """The words of `topic` that end in the last word of `bare`, as many as that has and at least two."""
    named = bare.split()
    tokens = list(re.finditer(r"[\w'’-]+", topic))
    last = next((n for n, token in enumerate(tokens) if _stem(token.group()) == _stem(named[-1])), None)
    if last is None or named[-1].lower() in STOP_WORDS:
        return None
    first = last
    while first > 0 and last - first < max(1, len(named) - 1) and _describes(tokens[first - 1].group()):
        first -= 1
    return tokens[first].start(), tokens[last].end()


def _describes(word: str) -> bool:
    return word.lower() not in STOP_WORDS and not _QUANTITY.fullmatch(word)


def _same_form(bare: str, topic: str) -> tuple[int, int] | None:
    """The number or code in `topic` that looks like the one `bare` ends with, with the word before where that is the
    same."""
    *before, code = bare.split()
    if not any(character.isdigit() for character in code):
        return None
    like = [token for token in re.finditer(r"[\w'’-]+", topic) if shape(token.group()) == shape(code)]
    if not like:
        return None
    start, led = like[-1].start(), " ".join(before)
    if led and topic[:start].rstrip().lower().endswith(led.lower()):
        start = len(topic[:start].rstrip()) - len(led)
    return start, like[-1].end()


def _proper(bare: str, topic: str) -> tuple[int, int] | None:
    """The last proper name of `topic`, for another one."""
    names = list(_PROPER.finditer(topic)) if bare[0].isupper() else []
    names = [name for name in names if name.group() != "I"]
    return names[-1].span() if names else None


def wants_reason(question: str) -> bool:
    """Whether the whole of `question` asks why."""
    return bool(_WHY.fullmatch(without_mark(question)))


def reason(topic: str) -> str:
    """The question why the answer to `topic` is so: `How soon must it be done?` gives `Why must it be done that soon?`

    Empty when the form of `topic` is not known."""
    topic = without_mark(topic)
    if found := _MEASURED.match(topic):
        how, noun = found["how"] or "", found["noun"].strip()
        told = ["that", how, noun] if how or noun else ["what it is"]
        return f"Why {' '.join(filter(None, [found['rest'], *told]))}?"
    if found := _ASKED.match(topic):
        return f"Why {found['rest']}?"
    return f"Why {topic[0].lower()}{topic[1:]}?" if _WHETHER.match(topic) else ""


def _stem(word: str) -> str:
    return stem(word.lower())


def without_mark(question: str) -> str:
    """`question` without the mark at its end."""
    return question.strip().rstrip("?!. ")
