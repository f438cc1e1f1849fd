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
    stripped = " ".join(phrase.split()).strip(" ,;:?!.")
    if _CLAUSE.search(stripped) or len(stripped) > _LONGEST:
        return ""
    noun_phrase = _STANDS_FOR.sub("", stripped)
    phrase_words, question_words = list(WORD.finditer(noun_phrase)), list(WORD.finditer(question))
    new, old = ([match.group() for match in matches] for matches in (phrase_words, question_words))
    verb = _find_verb(old)
    places = {
        *_places_between(new, old, verb),
        *_places_behind(new, old, verb, whole=noun_phrase == stripped),
        *_places_before(new, old, verb),
        *_place_of_name(new, old),
    }
    highest = max((place.shared for place in places), default=0)
    best = [place for place in places if place.shared == highest]
    if len(best) != 1 or _has_repetition(new, old, best[0]):
        return ""
    start, stop, skipped = best[0][1:]
    before, behind = question[: question_words[start].start()], question[question_words[stop - 1].end() :]
    substituted = f"{before}{noun_phrase[phrase_words[skipped].start() :]}{behind}"
    return substituted if substituted.lower() != question.lower() else ""


def _find_verb(old: Sequence[str]) -> int | None:
    """Return the place of the verb, if that is plain: behind `I` or `who`, `is` behind `how much`, or `there` behind an
    `is`."""
    low = [word.lower() for word in old]
    for place, word in enumerate(low[1:], 1):
        previous = low[place - 1]
        if (previous in _SUBJECTS and _is_content_word(word)) or (previous in _BE and word == "there"):
            return place
        if previous in {"what", "who", "much", "many", "long"} and word in _BE and low[-1] != "there":
            return place
    return None


def _places_between(new: Sequence[str], old: Sequence[str], verb: int | None) -> Iterator[_Place]:
    """Yield places where the phrase begins and ends as the question does: `an extended family member`."""
    for start in range(len(old)):
        lead = _count_alike(new, old[start:])
        for stop in range(start + lead + 1, min(len(old), start + lead + _MOST + len(new)) + 1) if lead else ():
            tail = _count_alike(new[lead:][::-1], old[start + lead : stop][::-1])
            between = range(start + lead, stop - tail)
            plain = all(_is_content_word(old[n]) and n != verb for n in between)
            if tail and lead + tail < len(new) and plain and (verb is not None or len(between) <= 1):
                yield _Place(_weigh(new[:lead]) + _weigh(new[len(new) - tail :]), start, stop)


def _places_behind(new: Sequence[str], old: Sequence[str], verb: int | None, *, whole: bool) -> Iterator[_Place]:
    """Yield places where the phrase begins alike: a name changes a name, a figure a figure; other words, behind a word
    as many as they are, behind a preposition all up to the next small word."""
    for start in range(len(old)):
        lead = _count_alike(new, old[start:])
        first = start + lead
        if not 0 < lead < len(new) or first == len(old):
            continue
        kind = _name_kind(new[lead])
        run_length = _count_run(old, first, verb)
        own_count = _count_run(new, lead, None)
        if kind and kind == _name_kind(old[first]):
            count = len(list(takewhile(lambda word: word[0].isupper() or word[0].isdigit(), old[first:])))
            yield _Place(_weigh(new[:lead]) + 1, start, first + count)
        elif not whole:
            yield from (
                [_Place(_weigh(new[:lead]), start, first + min(run_length, own_count))]
                if run_length and own_count
                else ()
            )
        else:
            count = _count_behind(new[:lead], old, start, run_length, own_count, verb)
            yield from [_Place(_weigh(new[:lead]), start, first + count)] if count else ()


def _count_behind(
    lead: Sequence[str], old: Sequence[str], start: int, run_length: int, own_count: int, verb: int | None
) -> int:
    """Count the words of the `run` behind the `lead` that change; none where the verb may be one of them."""
    first, previous = start + len(lead), old[start - 1].lower() if start else ""
    if _is_content_word(lead[-1]):
        return min(run_length, own_count) if verb is not None else 0
    if verb is None:
        subject = previous in AUXILIARIES - _BE and run_length == 2 and first + run_length == len(old)
        return 1 if run_length == 1 or subject else 0
    if [word.lower() in _ARTICLES for word in lead] != [True]:
        return run_length
    if [word.lower() for word in old].count(lead[0].lower()) > 1:
        return 0
    after = old[first + run_length : first + run_length + 2]
    if previous in _BE and old[start - 2].lower() == "what":
        return (
            run_length if (run_length <= own_count and not after) or (len(after) == 2 and _name_kind(after[1])) else 0
        )
    return run_length if run_length <= own_count or previous in _BE else 0


def _places_before(new: Sequence[str], old: Sequence[str], verb: int | None) -> Iterator[_Place]:
    """Yield places where the phrase ends alike, with a content word: `court leave` changes the words before the leave,
    as many as are new or, where they are all that stands before it, one more."""
    skipped = len(list(takewhile(lambda word: word.lower() in _ARTICLES, new)))
    for stop in range(1, len(old) + 1):
        tail = _count_alike(new[::-1], old[max(0, stop - len(new)) : stop][::-1])
        own_words = [word.lower() for word in new[skipped : len(new) - tail]]
        if not own_words or not any(map(_is_content_word, new[len(new) - tail :])):
            continue
        run_length = len(
            list(takewhile(lambda n: _is_plain_word(old[n]) and n != verb, range(stop - tail - 1, -1, -1)))
        )
        place = stop - tail - run_length - 1
        previous = old[place].lower() if place >= 0 else ""
        if all(_is_content_word(word) and word not in _PREPOSITIONS for word in own_words):
            sure = verb is not None or (previous in _BE and stop < len(old) and _is_plain_word(old[stop]))
            count = _count_before(previous, run_length, len(own_words), sure=sure or place == verb)
        else:
            swaps = (
                own_words[0] in _PREPOSITIONS and previous in _PREPOSITIONS and all(map(_is_plain_word, own_words[1:]))
            )
            count = run_length + 1 if swaps and run_length < len(own_words) else None
        if count is not None:
            yield _Place(_weigh(new[len(new) - tail :]), stop - tail - count, stop, skipped)


def _count_before(previous: str, run_length: int, own_count: int, *, sure: bool) -> int | None:
    """Count the words of a `run` before a noun that change; None where it is not `sure` that the verb is not among
    them."""
    noun = previous in _BEFORE_NOUNS
    if sure and (noun or previous not in STOP_WORDS | AUXILIARIES):
        return run_length if run_length <= own_count + noun else own_count
    return run_length if run_length <= 1 and (noun or previous in AUXILIARIES) else None


def _place_of_name(new: Sequence[str], old: Sequence[str]) -> Iterator[_Place]:
    """Yield the only name of the question, or its only figure or day, where the phrase is one, whatever stands before
    it."""
    skipped = len(list(takewhile(lambda word: not _is_content_word(word), new)))
    kind = _name_kind(new[skipped]) if skipped < len(new) else ""
    names = [place for place, word in enumerate(old) if place and _name_kind(word) == kind and _is_content_word(word)]
    if kind and all(map(_name_kind, new[skipped:])) and names and names[-1] - names[0] < len(names):
        yield _Place(0, names[0], names[-1] + 1, skipped)


def _name_kind(word: str) -> str:
    """Return the kind of name: `day`, `figure`, `name`, or ""."""
    if word.lower().removesuffix("s") in _CALENDAR and word[0].isupper():
        return "day"
    return "figure" if word[0].isdigit() else "name" if word[0].isupper() else ""


def _count_run(words: Sequence[str], first: int, verb: int | None) -> int:
    """Count the content words that follow each other from the `first` on, without the verb."""
    return len(list(takewhile(lambda n: _is_plain_word(words[n]) and n != verb, range(first, len(words)))))


def _has_repetition(new: Sequence[str], old: Sequence[str], place: _Place) -> bool:
    """Return whether a word would occur more often than in the question or the phrase."""
    question_words, phrase_words = (
        Counter(word.lower() for word in words if _is_plain_word(word)) for words in (old, new)
    )
    replaced = Counter(word.lower() for word in old[place.start : place.stop] if _is_plain_word(word))
    substituted = question_words - replaced + phrase_words
    return bool(substituted - (question_words | phrase_words))


def _is_content_word(word: str) -> bool:
    return word.lower() not in STOP_WORDS


def _is_plain_word(word: str) -> bool:
    return _is_content_word(word) and word.lower() not in _PREPOSITIONS | _COUNTS


def _weigh(shared: Sequence[str]) -> int:
    """Weigh shared words: a content word counts for more than all small ones."""
    return sum(2 * _MOST if _is_content_word(word) else 1 for word in shared)


def _count_alike(new: Sequence[str], old: Sequence[str]) -> int:
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
    context = "\n".join([*filter(None, [around.replied_to]), *reversed(around.messages), *_earlier_texts(turns)])[
        :MAX_CONTEXT_CHARS
    ]
    topic = around.replied_to if 0 < len(around.replied_to) <= MAX_TOPIC_CHARS else _find_topic(turns)
    resolved = _replace_ordinal(question, turns[-1].items) if turns else question
    if not topic or not is_follow_up(resolved):
        user_wording = question if resolved == question or not topic else _join_topic(question, topic)
        return FollowUp(question=resolved, user_wording=user_wording, query=resolved, thread=topic, context=context)
    if not _names_contrast(resolved):
        complete = _join_topic(resolved, topic)
        user_wording = complete if resolved == question else _join_topic(question, topic)
        return FollowUp(question=complete, user_wording=user_wording, query=resolved, topic=topic, context=context)
    user_wording = resolved if resolved == question else _join_topic(question, topic)
    plain_topic = _narrow_topic(topic, turns)
    substituted = substitute_phrase(_strip_opening(resolved), plain_topic)
    query = substituted or f"{_strip_punctuation(resolved)}: {plain_topic}"
    return FollowUp(
        question=resolved, user_wording=user_wording, query=query, topic=substituted or plain_topic, context=context
    )


def is_follow_up(question: str) -> bool:
    """Return whether `question` misses its subject: it names nothing of its own, or points at something said before."""
    own_terms = topic_terms(question)
    return not own_terms or (
        len(own_terms) <= FEW_WORDS and bool(_OPENING.match(question) or _POINTING.search(question))
    )


def topic_terms(question: str) -> set[str]:
    """Return the terms that tell the subject of `question`."""
    return {term for term in content_terms(question) if term not in _GENERAL}


def _names_contrast(question: str) -> bool:
    """Return whether a question that leans names another thing: `and for contractors?`"""
    return bool(_OPENING.match(question) and topic_terms(question))


def _strip_opening(question: str) -> str:
    """Return the phrase of a follow-up without its opening words."""
    return _JOINED.sub("", question, count=1)


def _earlier_texts(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in reversed(turns):
        question = turn.standalone or turn.question
        yield from filter(None, (turn.text, question, "" if turn.topic in question else turn.topic))


def _find_topic(turns: Sequence[Turn]) -> str:
    """Return the last question that names its subject."""
    for turn in reversed(turns):
        if turn.topic:
            return _widen_topic(turn, _narrow_topic(turn.topic, turns))
        if turn.standalone or (turn.question and not is_follow_up(turn.question)):
            return turn.standalone or turn.question
    return next((turn.question for turn in turns if turn.question), "")


def _widen_topic(turn: Turn, plain_topic: str) -> str:
    """Return the topic that a turn leaned on, with the other thing that it named."""
    question = turn.standalone or turn.question
    if not _names_contrast(question) or topic_terms(question).issubset(content_terms(turn.topic)):
        return turn.topic
    return f"{_strip_punctuation(_strip_opening(question))}: {plain_topic}"[-MAX_TOPIC_CHARS:]


def _narrow_topic(topic: str, turns: Sequence[Turn]) -> str:
    """Return `topic` without another thing that was named after it: of those, only the last one is meant."""
    earlier = (text for turn in turns for text in (turn.topic, turn.standalone or turn.question) if text)
    return next((text for text in earlier if topic.endswith(f": {text}")), topic)


def _replace_ordinal(question: str, items: Sequence[str]) -> str:
    """Replace an ordinal in `question` by the item that it counts off; unchanged where it has none."""
    ordinal = _ORDINAL.search(question)
    index = _ORDINALS[ordinal["which"].lower()] if ordinal else 0
    if not ordinal or len(items) < 2 or index >= len(items):
        return question
    label = _LABEL_END.split(items[index].replace("**", ""), maxsplit=1)[0][:MAX_LABEL_CHARS].strip()
    return f"{question[: ordinal.start()]}{label}{question[ordinal.end() :]}" if label else question


def _join_topic(question: str, topic: str) -> str:
    return f"{_strip_punctuation(question)} ({_strip_punctuation(topic)})?"


def _strip_punctuation(question: str) -> str:
    return question.strip().rstrip("?!. ")
