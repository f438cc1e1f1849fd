"""What a sentence says under a condition or with an exception, or reports without saying it; does a claim drop that?"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from pipeline.check.ground import Vocabulary, content
from pipeline.check.negation import NEGATION
from pipeline.phrases import word_pattern

_CONDITION = word_pattern("if|provided that|as long as|in case|only when")
_CONDITIONAL = word_pattern("""
    if|unless|except|excepting|excluding|provided|as long as|in case|when|whenever|where|while|after|until|once|should
    depending|depends|otherwise
""")
_EXCEPTION = word_pattern(r"""
    unless|except|excepting|excluding|with the exception of|(?<=[\w,)] )(?:(?:apart|aside) from|other than)
    (?<=, )save for
""")
"""`apart from` at the beginning of a sentence often means `besides`."""
_EXCEPTS = word_pattern(r"""
    unless|except\w*|exclu\w+|exempt\w*|but|however|although|though|otherwise|only|apart|aside|other|another|different
    save for|besides|beyond|outside|instead
""")
"""What a claim may say an exception with; or a negation."""
_VERB = word_pattern("""
    is|are|was|were|be|has|have|had|can|may|must|will|shall|should|could|would|do|does|did|gets?|receives?|needs?
""")
"""Ends the noun that is excepted."""
_HEAD = 3
"""So many content words of what is excepted are looked at."""
_SEVERAL = 8
"""So many exceptions and conditions of one sentence are looked at."""
_UNREAL = re.compile(
    r"\b(?:myth|misconception|fallacy|rumou?rs?|hoax|lie|joke|false|untrue|incorrect|wrong|unlikely|doubt\w*"
    r"|den(?:y|ies|ied|ying)|pretend\w*|alleg\w+|mistaken\w*|wrongly \w+|falsely \w+|no longer true)"
    r"(?:\W+\w+)?\W+that\b",
    re.IGNORECASE,
)
"""What stands behind it is reported, and not so."""
_NOUN = r"(?:proposal|plan|request|motion|idea|suggestion|bid|application|offer)s?"
_REFUSED = (
    r"(?:rejected|cancell?ed|declined|abandoned|withdrawn|withdrew|denied|refused|scrapped|shelved|dropped"
    r"|turned down|voted down)"
)
_PROPOSED = re.compile(
    rf"\b(?:{_REFUSED} (?:\w+ ){{0,2}}?{_NOUN} (?:to|that|for|of)\b(?P<after>[^.;!?]{{1,200}})"
    rf"|{_NOUN} (?:to|that|for|of)\b(?P<before>[^.;!?]{{1,200}}?)(?<!\band)(?<!\bor)"
    rf" (?:was|were|is|are|(?:has|have|had) been|got) (?:\w+ly )?{_REFUSED}\b)",
    re.IGNORECASE,
)
"""What was proposed did not come to be."""
_TURNED_DOWN = re.compile(rf"\b{_REFUSED}\b", re.IGNORECASE)
_ENDED = re.compile(r"\b(?:was|were|had|used to)\b[^.;!?]{1,200}?\b(?:until|till)\b", re.IGNORECASE)
_PAST = word_pattern("was|were|had|did|used to|until|till|before|former(?:ly)?|previous(?:ly)?|once|no longer|ended")
_PRESENT = word_pattern("now|since|today|currently|is|are|has|have|can|may|must|will|should|gets?")
_UNLESS = word_pattern("unless")
_ASKING = re.compile(
    r"\b(?:see|check|know|ask|asks|asked|wonder|find out|determine|sure|tell|test|verify)\s+$", re.IGNORECASE
)
"""Before an `if` that means `whether`."""
_END = re.compile(r"[.!?](?=[^\W\d_]{2}|\s|$)|[。！？]")
_STOP = re.compile(r"[.;:!?|]|,(?=\s)|\bthen\b")


def left_out(claim: str, source: str, asked: Vocabulary) -> str:
    """Why `source` does not say `claim` by itself; empty when it does. A condition in the words `asked` may go, an
    exception not: what was asked about may be what is excepted."""
    own = content(claim)
    if _unreal(claim, own, source):
        return "the passage says it of what is not so"
    if _past(source) and _PRESENT.search(claim) and not (_PAST.search(claim) or NEGATION.search(claim)):
        return "the passage says that this has ended"
    if not _limited(source):
        return ""
    near = [sentence for sentence in _END.split(source) if _half(own, sentence)]
    reasons = (_excepted(claim, sentence) or _missing(claim, own, sentence, asked) for sentence in near)
    return next(filter(None, reasons), "")


def cut_off(source: str, start: int) -> bool:
    """Whether a word such as `if` or `unless` stands right before what begins at `start`."""
    before = source[max(0, start - 60) : start]
    found = [match.end() for pattern in (_EXCEPTION, _CONDITION) for match in pattern.finditer(before)]
    return bool(found) and not content(before[max(found) :]) and not _STOP.search(before, max(found))


def _unreal(claim: str, own: tuple[str, ...], source: str) -> bool:
    """Whether `source` says of the claim that it is not so, and the claim says nothing of that."""
    reported, proposed = _denied(source)
    if not (reported or proposed) or NEGATION.search(claim):
        return False
    if reported and not _UNREAL.search(claim) and _half(own, reported):
        return True
    return bool(proposed and not _TURNED_DOWN.search(claim) and _half(own, proposed))


@lru_cache(maxsize=1024)
def _denied(source: str) -> tuple[str, str]:
    """What a sentence reports as not so, and what it says was proposed and did not come to be."""
    unreal, proposed = _UNREAL.search(source), _PROPOSED.search(source)
    what = (proposed["before"] or proposed["after"]) if proposed else ""
    return source[unreal.end() :] if unreal else "", what


@lru_cache(maxsize=1024)
def _limited(source: str) -> bool:
    return bool(_EXCEPTION.search(source) or _CONDITION.search(source))


@lru_cache(maxsize=1024)
def _past(source: str) -> bool:
    """Whether it tells only of what was until some time."""
    return bool(_ENDED.search(source)) and not _PRESENT.search(source)


def _excepted(claim: str, sentence: str) -> str:
    """Why the claim does not keep the exceptions that a sentence makes."""
    ours = _EXCEPTION.search(claim)
    kept = ours or _EXCEPTS.search(claim) or NEGATION.search(claim)
    kept = kept or (NEGATION.search(sentence) and _CONDITIONAL.search(claim))
    for match in islice(_EXCEPTION.finditer(sentence), _SEVERAL):
        if not kept:
            return "it leaves out an exception of the passage"
        excepted = _what(sentence, match)
        held = Vocabulary(_what(claim, ours) if ours else content(claim))
        if excepted and not any(term in held for term in excepted):
            return "it leaves out an exception of the passage"
    return ""


def _what(text: str, exception: re.Match[str]) -> tuple[str, ...]:
    """The content words that say what is excepted: behind `unless` a clause, else a noun."""
    ends = [_STOP.search(text, exception.end())]
    clause = exception.group().lower() == "unless"
    if not clause:
        ends.append(_VERB.search(text, exception.end()))
    found = content(text[exception.end() : min((end.start() for end in ends if end), default=len(text))])
    return found if clause else found[:_HEAD]


def _missing(claim: str, own: tuple[str, ...], sentence: str, asked: Vocabulary) -> str:
    """Why the claim does not keep the conditions under which a sentence says it."""
    conditional = bool(_CONDITIONAL.search(claim))
    for match in islice(_CONDITION.finditer(sentence), _SEVERAL):
        if _ASKING.search(sentence, 0, match.start()):
            continue
        stop = _STOP.search(sentence, match.end())
        condition = content(sentence[match.end() : stop.start() if stop else len(sentence)])
        if conditional:
            if _UNLESS.search(claim) and not (_EXCEPTION.search(sentence) or NEGATION.search(sentence + claim)):
                return "it makes an exception of a condition"
            continue
        held, whole = Vocabulary(own), Vocabulary(condition)
        if own and all(term in whole for term in own):
            return "the passage says it only as a condition"
        if 2 * sum(term in held or term in asked for term in condition) < len(condition) or not condition:
            return "it leaves out a condition of the passage"
    return ""


def _half(found: tuple[str, ...], text: str) -> bool:
    vocabulary = Vocabulary(content(text))
    return 2 * sum(term in vocabulary for term in found) >= len(found)
