"""Follow-ups: a question that leans on its conversation is asked together with the one it leans on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.plan.contrast import changed
from pipeline.values import Around, Turn, Value
from pipeline.words.text import any_of, terms, word_pattern

CONTEXT = 1200
"""Characters of context: about as much as the embedder reads of one text."""
FEW = 3
"""Words of its own up to which a question with a pronoun or an opening `and` leans."""
ALONE = Around()
TOPIC = 200
"""Characters of what a message replies to up to which it can be what the message is about."""
LABEL = 80
"""Characters of a list item that stand for it in a question."""

_OPENING = re.compile(
    any_of(r"""
    (?:(?:and|or|but|so) )*(?:what|how) (?:about|if)
    (?:and|or|but|so|then|also|plus),?|(?:in|for)(?= (?!wh))|(?:the )?same
""")
    + r"\s",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?:(?:and|or|but|so|then|also|plus),?\s+)*(?:(?:what|how)\s+about\s+|(?:the\s+)?same\s+)?", re.IGNORECASE
)
_POINTING = word_pattern("""
    it|its|this|that|these|those|they|them|their|theirs|he|she|him|his|her|then|else|one|ones|others?|another|same
    such|more|instead|(?<!is )(?<!are )(?<!was )there|above|former|latter|both|neither
""")
_ORDINALS = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1, "latter": -1}
_ORDINAL = re.compile(
    rf"\b(?:the )?(?P<which>{'|'.join(_ORDINALS)})(?: (?:one|option|item|point|step|way|method|part|example))?\b"
    r"(?! \w+ (?:of|in))",
    re.IGNORECASE,
)
_LABEL_END = re.compile(r"[:;.]\s|\s[-–—(]")
_GENERAL = frozenset(
    terms("""
    much many long often soon far mean work happen take cost need get apply tell more example detail explain yes no ok
    okay sure thanks thank please know give help also anything something else thing way time really right good want like
""")
)
"""Words that say nothing of what a question is about."""


class FollowUp(Value):
    """A question as it is understood in its conversation."""

    question: str
    """Complete: what an answer is judged against."""
    said: str
    """The same in people's own words, without the item of an answer that it counts off: what may be kept and told."""
    query: str
    """What to search for besides `context`: the question with nothing in it that is merely the topic so far."""
    topic: str = ""
    """The earlier question that it leans on; empty where it stands alone."""
    thread: str = ""
    """Where it stands alone, the last question of its conversation that says what it is about."""
    context: str = ""
    """What was said before, newest first: evidence for retrieval, never part of the question."""


def complete(question: str, turns: Sequence[Turn], around: Around = ALONE) -> FollowUp:
    """Complete `question` from `turns` (oldest first), or from what it replies to, where it leans on them.

    `the second one` becomes the second item of the last answer. What then names something of its own after an `and` is
    judged as it is, among what is found with the topic: `and Denmark?` asks for nothing about France. What names
    nothing is followed by the question that the conversation is about: `why (When does the office move)?`
    """
    context = "\n".join([*filter(None, [around.pointed]), *reversed(around.said), *_said(turns)])[:CONTEXT]
    topic = around.pointed if 0 < len(around.pointed) <= TOPIC else _topic(turns)
    asked = _named(question, turns[-1].items) if turns else question
    if not topic or not leans(asked):
        said = question if asked == question or not topic else _whole(question, topic)
        return FollowUp(question=asked, said=said, query=asked, thread=topic, context=context)
    if not _contrasts(asked):
        whole = _whole(asked, topic)
        said = whole if asked == question else _whole(question, topic)
        return FollowUp(question=whole, said=said, query=asked, topic=topic, context=context)
    said = asked if asked == question else _whole(question, topic)
    plain = _unwidened(topic, turns)
    meant = changed(_phrase(asked), plain)
    query = meant or f"{_unmarked(asked)}: {plain}"
    return FollowUp(question=asked, said=said, query=query, topic=meant or plain, context=context)


def leans(question: str) -> bool:
    """Whether `question` misses its subject: it names nothing of its own, or points at something said before."""
    own = own_terms(question)
    return not own or (len(own) <= FEW and bool(_OPENING.match(question) or _POINTING.search(question)))


def own_terms(question: str) -> set[str]:
    """The terms that say what `question` is about."""
    return {term for term in terms(question) if term not in _GENERAL}


def _contrasts(asked: str) -> bool:
    """Whether a question that leans names another thing: `and for contractors?`"""
    return bool(_OPENING.match(asked) and own_terms(asked))


def _phrase(asked: str) -> str:
    """What it names."""
    return _JOINED.sub("", asked, count=1)


def _said(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in reversed(turns):
        asked = turn.standalone or turn.question
        yield from filter(None, (turn.text, asked, "" if turn.topic in asked else turn.topic))


def _topic(turns: Sequence[Turn]) -> str:
    """The last question that says what it is about."""
    for turn in reversed(turns):
        if turn.topic:
            return _widened(turn, _unwidened(turn.topic, turns))
        if turn.standalone or (turn.question and not leans(turn.question)):
            return turn.standalone or turn.question
    return next((turn.question for turn in turns if turn.question), "")


def _widened(turn: Turn, plain: str) -> str:
    """The topic that a turn leaned on, with the other thing that it named."""
    asked = turn.standalone or turn.question
    if not _contrasts(asked) or own_terms(asked).issubset(terms(turn.topic)):
        return turn.topic
    return f"{_unmarked(_phrase(asked))}: {plain}"[-TOPIC:]


def _unwidened(topic: str, turns: Sequence[Turn]) -> str:
    """`topic` without another thing that was named after it: of those, only the last one is meant."""
    before = (said for turn in turns for said in (turn.topic, turn.standalone or turn.question) if said)
    return next((said for said in before if topic.endswith(f": {said}")), topic)


def _named(question: str, items: Sequence[str]) -> str:
    """`question` with the item that it counts off; itself where it counts none."""
    found = _ORDINAL.search(question)
    place = _ORDINALS[found["which"].lower()] if found else 0
    if not found or len(items) < 2 or place >= len(items):
        return question
    label = _LABEL_END.split(items[place].replace("**", ""), maxsplit=1)[0][:LABEL].strip()
    return f"{question[: found.start()]}{label}{question[found.end() :]}" if label else question


def _whole(question: str, topic: str) -> str:
    return f"{_unmarked(question)} ({_unmarked(topic)})?"


def _unmarked(question: str) -> str:
    return question.strip().rstrip("?!. ")
