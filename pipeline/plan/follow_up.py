"""Follow-ups: a question that leans on its conversation is completed by the one it leans on."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from pipeline.evidence.question_analysis import AUXILIARIES
from pipeline.values import ThreadContext, Turn, Value
from pipeline.words.text import STOP_WORDS, WORD, alternatives_pattern, content_terms, word_pattern

# --- Follow-ups that change one thing of the earlier question -------------------------------------

_ARTICLES = frozenset({"a", "an", "the"})
_PREPOSITIONS = frozenset(
    """about above after at before below between by during for from in into of on over per than through under until
    with within without""".split()
)
_BE = frozenset({"is", "are", "was", "were"})
_COUNTS = frozenset({"many", "much", "long", "often"})
_BEFORE_NOUNS = _ARTICLES | _PREPOSITIONS | _BE | {"many", "much", "any", "some", "my", "your", "our", "their", "its"}
"""Words behind which the words up to a noun go with it, and none of them is the verb."""
_SUBJECTS = frozenset("i you we he she it they who".split())
"""Words that a verb follows."""
_CLAUSE = word_pattern("i|you|we|he|she|it|they|if|who|what|when|where|why|which|how|" + "|".join(sorted(AUXILIARIES)))
"""Words of a phrase that states or asks something by itself."""
_STANDS_FOR = re.compile(r" ones?$", re.IGNORECASE)
"""`The long term one`: the noun that it stands for was said before."""
_CALENDAR = frozenset(name.lower() for name in (*calendar.day_name, *calendar.month_name) if name)
_LONGEST = 60
"""Greatest length, in characters, of a phrase that changes one thing."""
_MOST = 4
"""Greatest number of words that are changed."""


class _Place(NamedTuple):
    shared: int
    """Weight of the words that a phrase and a question share there."""
    start: int
    stop: int
    """End of the words of the question, from `start`, that the phrase replaces."""
    left: int = 0
    """Number of words at the beginning of the phrase that are left out."""


def substitute_phrase(phrase: str, question: str) -> str:
    """Return `question` with `phrase` in the place of the words there beside the same words, or behind the same
    preposition or article; else in that of its only name. Empty where there is no such place, or more than one, or
    where the words there may be the verb. `Level 4` changes what a level 5 gets, `for contractors` what holds for
    employees."""
    said = " ".join(phrase.split()).strip(" ,;:?!.")
    if _CLAUSE.search(said) or len(said) > _LONGEST:
        return ""
    named = _STANDS_FOR.sub("", said)
    words, asked = list(WORD.finditer(named)), list(WORD.finditer(question))
    new, old = ([match.group() for match in found] for found in (words, asked))
    verb = _verb(old)
    places = {
        *_between(new, old, verb),
        *_behind(new, old, verb, whole=named == said),
        *_before(new, old, verb),
        *_name(new, old),
    }
    most = max((place.shared for place in places), default=0)
    best = [place for place in places if place.shared == most]
    if len(best) != 1 or _repeats(new, old, best[0]):
        return ""
    start, stop, left = best[0][1:]
    before, behind = question[: asked[start].start()], question[asked[stop - 1].end() :]
    meant = f"{before}{named[words[left].start() :]}{behind}"
    return meant if meant.lower() != question.lower() else ""


def _verb(old: Sequence[str]) -> int | None:
    """Return the place of the verb, if that is plain: behind `I` or `who`, `is` behind `how much`, or `there` behind an
    `is`."""
    low = [word.lower() for word in old]
    for place, word in enumerate(low[1:], 1):
        before = low[place - 1]
        if (before in _SUBJECTS and _says(word)) or (before in _BE and word == "there"):
            return place
        if before in {"what", "who", "much", "many", "long"} and word in _BE and low[-1] != "there":
            return place
    return None


def _between(new: Sequence[str], old: Sequence[str], verb: int | None) -> Iterator[_Place]:
    """Yield places where the phrase begins and ends as the question does: `an extended family member`."""
    for start in range(len(old)):
        lead = _alike(new, old[start:])
        for stop in range(start + lead + 1, min(len(old), start + lead + _MOST + len(new)) + 1) if lead else ():
            tail = _alike(new[lead:][::-1], old[start + lead : stop][::-1])
            between = range(start + lead, stop - tail)
            plain = all(_says(old[n]) and n != verb for n in between)
            if tail and lead + tail < len(new) and plain and (verb is not None or len(between) <= 1):
                yield _Place(_weight(new[:lead]) + _weight(new[len(new) - tail :]), start, stop)


def _behind(new: Sequence[str], old: Sequence[str], verb: int | None, *, whole: bool) -> Iterator[_Place]:
    """Yield places where the phrase begins alike: a name changes a name, a figure a figure; other words, behind a word
    as many as they are, behind a preposition all up to the next small word."""
    for start in range(len(old)):
        lead = _alike(new, old[start:])
        first = start + lead
        if not 0 < lead < len(new) or first == len(old):
            continue
        kind = _kind(new[lead])
        run = _run(old, first, verb)
        own = _run(new, lead, None)
        if kind and kind == _kind(old[first]):
            count = len(list(takewhile(lambda word: word[0].isupper() or word[0].isdigit(), old[first:])))
            yield _Place(_weight(new[:lead]) + 1, start, first + count)
        elif not whole:
            yield from [_Place(_weight(new[:lead]), start, first + min(run, own))] if run and own else ()
        else:
            count = _count(new[:lead], old, start, run, own, verb)
            yield from [_Place(_weight(new[:lead]), start, first + count)] if count else ()


def _count(lead: Sequence[str], old: Sequence[str], start: int, run: int, own: int, verb: int | None) -> int:
    """Count the words of the `run` behind the `lead` that change; none where the verb may be one of them."""
    first, before = start + len(lead), old[start - 1].lower() if start else ""
    if _says(lead[-1]):
        return min(run, own) if verb is not None else 0
    if verb is None:
        subject = before in AUXILIARIES - _BE and run == 2 and first + run == len(old)
        return 1 if run == 1 or subject else 0
    if [word.lower() in _ARTICLES for word in lead] != [True]:
        return run
    if [word.lower() for word in old].count(lead[0].lower()) > 1:
        return 0
    after = old[first + run : first + run + 2]
    if before in _BE and old[start - 2].lower() == "what":
        return run if (run <= own and not after) or (len(after) == 2 and _kind(after[1])) else 0
    return run if run <= own or before in _BE else 0


def _before(new: Sequence[str], old: Sequence[str], verb: int | None) -> Iterator[_Place]:
    """Yield places where the phrase ends alike, with a content word: `court leave` changes the words before the leave,
    as many as are new or, where they are all that stands before it, one more."""
    left = len(list(takewhile(lambda word: word.lower() in _ARTICLES, new)))
    for stop in range(1, len(old) + 1):
        tail = _alike(new[::-1], old[max(0, stop - len(new)) : stop][::-1])
        own = [word.lower() for word in new[left : len(new) - tail]]
        if not own or not any(map(_says, new[len(new) - tail :])):
            continue
        run = len(list(takewhile(lambda n: _plain(old[n]) and n != verb, range(stop - tail - 1, -1, -1))))
        place = stop - tail - run - 1
        before = old[place].lower() if place >= 0 else ""
        if all(_says(word) and word not in _PREPOSITIONS for word in own):
            sure = verb is not None or (before in _BE and stop < len(old) and _plain(old[stop]))
            count = _nearest(before, run, len(own), sure=sure or place == verb)
        else:
            swaps = own[0] in _PREPOSITIONS and before in _PREPOSITIONS and all(map(_plain, own[1:]))
            count = run + 1 if swaps and run < len(own) else None
        if count is not None:
            yield _Place(_weight(new[len(new) - tail :]), stop - tail - count, stop, left)


def _nearest(before: str, run: int, own: int, *, sure: bool) -> int | None:
    """Count the words of a `run` before a noun that change; None where it is not `sure` that the verb is not among
    them."""
    noun = before in _BEFORE_NOUNS
    if sure and (noun or before not in STOP_WORDS | AUXILIARIES):
        return run if run <= own + noun else own
    return run if run <= 1 and (noun or before in AUXILIARIES) else None


def _name(new: Sequence[str], old: Sequence[str]) -> Iterator[_Place]:
    """Yield the only name of the question, or its only figure or day, where the phrase is one, whatever stands before
    it."""
    left = len(list(takewhile(lambda word: not _says(word), new)))
    kind = _kind(new[left]) if left < len(new) else ""
    names = [place for place, word in enumerate(old) if place and _kind(word) == kind and _says(word)]
    if kind and all(map(_kind, new[left:])) and names and names[-1] - names[0] < len(names):
        yield _Place(0, names[0], names[-1] + 1, left)


def _kind(word: str) -> str:
    """Return the kind of name: `day`, `figure`, `name`, or ""."""
    if word.lower().removesuffix("s") in _CALENDAR and word[0].isupper():
        return "day"
    return "figure" if word[0].isdigit() else "name" if word[0].isupper() else ""


def _run(words: Sequence[str], first: int, verb: int | None) -> int:
    """Count the content words that follow each other from the `first` on, without the verb."""
    return len(list(takewhile(lambda n: _plain(words[n]) and n != verb, range(first, len(words)))))


def _repeats(new: Sequence[str], old: Sequence[str], place: _Place) -> bool:
    """Return whether a word would occur more often than in the question or the phrase."""
    asked, named = (Counter(word.lower() for word in words if _plain(word)) for words in (old, new))
    gone = Counter(word.lower() for word in old[place.start : place.stop] if _plain(word))
    meant = asked - gone + named
    return bool(meant - (asked | named))


def _says(word: str) -> bool:
    return word.lower() not in STOP_WORDS


def _plain(word: str) -> bool:
    return _says(word) and word.lower() not in _PREPOSITIONS | _COUNTS


def _weight(shared: Sequence[str]) -> int:
    """Weigh shared words: a content word counts for more than all small ones."""
    return sum(2 * _MOST if _says(word) else 1 for word in shared)


def _alike(new: Sequence[str], old: Sequence[str]) -> int:
    """Count the words that both begin with."""
    pairs = zip(new, old, strict=False)
    return len(list(takewhile(lambda pair: pair[0].lower() == pair[1].lower(), pairs)))


# --- Follow-ups -----------------------------------------------------------------------------------

MAX_CONTEXT_CHARS = 1200
"""Characters of context: about as much as the embedder reads of one text."""
FEW_WORDS = 3
"""Words of its own up to which a question with a pronoun or an opening `and` leans."""
NO_CONTEXT = ThreadContext()
MAX_TOPIC_CHARS = 200
"""Characters of the message that is replied to, up to which it can be the topic."""
MAX_LABEL_CHARS = 80
"""Characters of a list item that stand for it in a question."""

_OPENING = re.compile(
    alternatives_pattern(r"""
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
    content_terms("""
    much many long often soon far mean work happen take cost need get apply tell more example detail explain yes no ok
    okay sure thanks thank please know give help also anything something else thing way time really right good want like
""")
)
"""Words that tell nothing about the subject of a question."""


class FollowUp(Value):
    """A question as it is understood in its conversation."""

    question: str
    """Complete question, which an answer is judged against."""
    user_wording: str
    """Question in people's own words, without the item of an answer that it counts off: it may be kept and shown."""
    query: str
    """Text to search for besides `context`: the question with nothing in it that is merely the topic so far."""
    topic: str = ""
    """The earlier question that it leans on; empty where it stands alone."""
    thread: str = ""
    """For a question that stands alone, the last question of its conversation that names its subject."""
    context: str = ""
    """Earlier texts, newest first: evidence for retrieval, never part of the question."""


def complete_question(question: str, turns: Sequence[Turn], around: ThreadContext = NO_CONTEXT) -> FollowUp:
    """Complete `question` from `turns` (oldest first), or from the message it replies to, where it leans on them.

    `the second one` becomes the second item of the last answer. A question that then names something of its own after
    an `and` is judged as it is, among what is found with the topic: `and Denmark?` asks for nothing about France. A
    question that names nothing is followed by the one that the conversation is about: `why (When does the office
    move)?`"""
    context = "\n".join([*filter(None, [around.replied_to]), *reversed(around.messages), *_said(turns)])[
        :MAX_CONTEXT_CHARS
    ]
    topic = around.replied_to if 0 < len(around.replied_to) <= MAX_TOPIC_CHARS else _topic(turns)
    asked = _named(question, turns[-1].items) if turns else question
    if not topic or not is_follow_up(asked):
        said = question if asked == question or not topic else _whole(question, topic)
        return FollowUp(question=asked, user_wording=said, query=asked, thread=topic, context=context)
    if not _contrasts(asked):
        whole = _whole(asked, topic)
        said = whole if asked == question else _whole(question, topic)
        return FollowUp(question=whole, user_wording=said, query=asked, topic=topic, context=context)
    said = asked if asked == question else _whole(question, topic)
    plain = _unwidened(topic, turns)
    meant = substitute_phrase(_phrase(asked), plain)
    query = meant or f"{_unmarked(asked)}: {plain}"
    return FollowUp(question=asked, user_wording=said, query=query, topic=meant or plain, context=context)


def is_follow_up(question: str) -> bool:
    """Return whether `question` misses its subject: it names nothing of its own, or points at something said before."""
    own = topic_terms(question)
    return not own or (len(own) <= FEW_WORDS and bool(_OPENING.match(question) or _POINTING.search(question)))


def topic_terms(question: str) -> set[str]:
    """Return the terms that tell the subject of `question`."""
    return {term for term in content_terms(question) if term not in _GENERAL}


def _contrasts(asked: str) -> bool:
    """Return whether a question that leans names another thing: `and for contractors?`"""
    return bool(_OPENING.match(asked) and topic_terms(asked))


def _phrase(asked: str) -> str:
    """Return the phrase of a follow-up without its opening words."""
    return _JOINED.sub("", asked, count=1)


def _said(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in reversed(turns):
        asked = turn.standalone or turn.question
        yield from filter(None, (turn.text, asked, "" if turn.topic in asked else turn.topic))


def _topic(turns: Sequence[Turn]) -> str:
    """Return the last question that names its subject."""
    for turn in reversed(turns):
        if turn.topic:
            return _widened(turn, _unwidened(turn.topic, turns))
        if turn.standalone or (turn.question and not is_follow_up(turn.question)):
            return turn.standalone or turn.question
    return next((turn.question for turn in turns if turn.question), "")


def _widened(turn: Turn, plain: str) -> str:
    """Return the topic that a turn leaned on, with the other thing that it named."""
    asked = turn.standalone or turn.question
    if not _contrasts(asked) or topic_terms(asked).issubset(content_terms(turn.topic)):
        return turn.topic
    return f"{_unmarked(_phrase(asked))}: {plain}"[-MAX_TOPIC_CHARS:]


def _unwidened(topic: str, turns: Sequence[Turn]) -> str:
    """Return `topic` without another thing that was named after it: of those, only the last one is meant."""
    before = (said for turn in turns for said in (turn.topic, turn.standalone or turn.question) if said)
    return next((said for said in before if topic.endswith(f": {said}")), topic)


def _named(question: str, items: Sequence[str]) -> str:
    """Replace an ordinal in `question` by the item that it counts off; unchanged where it has none."""
    found = _ORDINAL.search(question)
    place = _ORDINALS[found["which"].lower()] if found else 0
    if not found or len(items) < 2 or place >= len(items):
        return question
    label = _LABEL_END.split(items[place].replace("**", ""), maxsplit=1)[0][:MAX_LABEL_CHARS].strip()
    return f"{question[: found.start()]}{label}{question[found.end() :]}" if label else question


def _whole(question: str, topic: str) -> str:
    return f"{_unmarked(question)} ({_unmarked(topic)})?"


def _unmarked(question: str) -> str:
    return question.strip().rstrip("?!. ")
