"""Screening documents: sentences that tell whoever reads the document for someone else what to say.

Documentation is full of orders to people (`Click Save`, `Add this line to your file`). What gives an instruction to an
assistant away is its object: the reply itself, its form, or a piece of writing that nobody following the document
would need. Poisoned documents say it in plain words, without `ignore previous instructions`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from pipeline.phrases import any_of
from pipeline.screen.concepts import row, tokens
from pipeline.screen.screening import Screening, views
from pipeline.screen.signals import CONCEPT_SIGNALS, NOT_MEANT
from pipeline.screen.views import fold, unescape
from pipeline.text import sentences, terms

_LONGEST = 2_000_000
"""Characters of a document that are read."""
_REPLY = (
    r"your (?:(?:next|final|whole|entire|own|main) )?"
    r"(?:repl(?:y|ies)|responses?|answers?|elucidations?|outputs?|messages?)"
)
_ORDER = (
    r"(?:^|[.!?:;|>]\s*)(?:(?:please|kindly|also|then|now|next|finally|and|don't (?:forget|hesitate) to|"
    r"(?:remember|be sure|make sure|keep in mind|take a moment|consider) to|consider|can you|could you|would you),? )*"
)
"""Where an order begins: at a sentence or clause, behind what makes it polite."""
_CHANGE = any_of("""
    add|include|including|insert|append|embed|incorporate|integrate|introduce|mention|modify|change|adjust|alter|enhance
    augment|enrich|replace|substitute|swap|use|utilize|apply|employ|encode|encrypt|convert|transform|translate|reverse
    scramble|jumble|shuffle|group|remove|omit|provide|give|write|make|format|start|begin|end|finish|state|say|print
    respond|reply|answer|output|return
""")
_COMPOSE = any_of("""
    write (?!down|them|it|to|off)|draft|compose|describe|explain|summari[sz]e|translate|suggest|recommend
    break down|discuss|outline|generate|show me|tell me|give me|teach me|help me|classify|determine the|analy[sz]e
    provide (?:an? |the |some )?(?:example|command|list|summary|overview|tips|steps|recipe)
    list (?:some|three|five|ten)|name (?:three|five)|pretend|act as|create an? (?:poem|story|plan|list)
""")
_FORM = any_of("""
    emojis?|reversed?|backwards?|base ?(?:16|32|58|64)|rot ?13|morse(?: code)?|hexadecimal|binary|cipher|caesar
    anagrams?|pig latin|leet(?:speak)?|upper ?case|lower ?case|all caps|vowels|misspellings?|rhymes?|no spaces
    (?:in|to|into) (?:german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic|hindi|latin)
    (?:in|to|into) (?:chinese|japanese|korean|english)
""")
_SIGNS: dict[str, tuple[float, re.Pattern[str]]] = {
    "your_reply": (1.6, re.compile(rf"\b{_REPLY}\b")),
    "into_reply": (2.0, re.compile(rf"\b(?:in|into|to|of|from|with|for|within|throughout) {_REPLY}\b")),
    "change_reply": (
        2.6,
        re.compile(
            rf"(?:{_ORDER}|, ?){_CHANGE}\b[^?!]{{0,140}}\b{_REPLY}\b|\bin {_REPLY},? (?:{_CHANGE}|{_COMPOSE})\b"
        ),
    ),
    "reply_so": (
        3.0,
        re.compile(rf"{_ORDER}(?:reply|respond|answer) (?:only |back )?(?:in|with|using|as|by|like)\b"),
    ),
    "reform": (
        3.0,
        re.compile(
            rf"{_ORDER}(?:replace|substitute|swap|convert|reverse|scramble|jumble|shuffle|group|encode|misspell|remove)\b"
            r"[^.?!]{0,30}\b(?:vowels|letters|words|characters|keywords|spaces|punctuation)\b"
        ),
    ),
    "form": (1.2, re.compile(rf"\b{_FORM}\b")),
    "code": (
        2.6,
        re.compile(
            r"\b(?:following|subsequent|below|next|this) code (?:snippet|block|excerpt|section|fragment|segment)\b"
        ),
    ),
    "into_code": (
        1.6,
        re.compile(
            r"\b(?:your|the) (?:\w+ )?(?:code ?base|implementation|solution|algorithm|program logic)\b"
            r"|\bcode you (?:write|develop|generate|produce)\b|\byour (?:\w+ )?code\b"
        ),
    ),
}
_COMPOSES = re.compile(rf"{_ORDER}{_COMPOSE}\b")
_ASKS = re.compile(r"\?[\"')\]]*\s*$")
_HINT = re.compile(rf"your|repl[yi]|respon|answer|code |vowel|letter|words|character|space|\?|{_COMPOSE}")
"""What every sentence with a sign has at least one of."""
_OFF_TOPIC, _ASKED = 5.0, 2.0
"""Weights of an order to write something and of a question when all their words are foreign to the passage."""
_FEWEST, _PASSAGE = 3, 40
"""Distinct content words an order must have, and a passage, before the one can be told to be foreign to the other."""
_CARRIED = {
    "override": 4.5,
    "override_bare": 4.5,
    "jailbreak": 3.0,
    "no_limits_model": 2.5,
    "you_are_now": 2.5,
    "told_as_model": 4.5,
    "extract": 2.0,
    "system_prompt": 1.0,
    "encoded": 1.5,
}
"""Signals of `screen` that mean the same in a document, with their weights there."""
_BIAS = -4.0
_ADDRESSED = 0.5
"""Score from which a sentence is taken for an instruction to an assistant."""

Signs = dict[str, float]
"""Signs found, with what each adds to the log odds."""


def screen_document(text: str) -> Screening:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    text = text[:_LONGEST]
    found = max([_carried(text), *_by_sentence(text)], key=lambda signs: sum(signs.values()))
    score = _score(found)
    reasons = tuple(sorted(found, key=lambda name: -found[name]))
    return Screening(score=score, flag=score >= _ADDRESSED, decline=False, reasons=reasons)


@lru_cache(maxsize=1024)
def addressed_to_assistant(sentence: str, passage: str = "") -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer.

    With the `passage` it stands in, orders to write something that has nothing to do with the passage count too."""
    found = _carried(sentence)
    folded = fold(sentence)
    if _HINT.search(folded):
        around = passage if not passage or sentence in passage else f"{passage}\n{sentence}"
        found |= _signs(folded, _counted(around))
    return _score(found) >= _ADDRESSED


@lru_cache(maxsize=16)
def _counted(passage: str) -> Mapping[str, int]:
    return Counter(terms(passage))


def _score(signs: Signs) -> float:
    return 1 / (1 + math.exp(-_BIAS - sum(signs.values())))


def _carried(text: str) -> Signs:
    plain = fold(unescape(text))
    words = tokens(plain)
    rows = row(words)
    found = {}
    for kind, view in views(text, plain, words):
        rows += row(tokens(view))
        if kind == "encoded":
            found[kind] = _CARRIED[kind]
    rows = NOT_MEANT.sub("", rows)
    return found | {
        name: weight
        for name, weight in _CARRIED.items()
        if name in CONCEPT_SIGNALS and CONCEPT_SIGNALS[name].search(rows)
    }


def _by_sentence(text: str) -> list[Signs]:
    folded = fold(text)
    hinted = [folded[start:end] for start, end in sentences(folded) if _HINT.search(folded, start, end)]
    counts = Counter(terms(folded)) if hinted else Counter()
    return [_signs(sentence, counts) for sentence in hinted]


def _signs(folded: str, counts: Mapping[str, int]) -> Signs:
    found = {name: weight for name, (weight, pattern) in _SIGNS.items() if pattern.search(folded)}
    if counts:
        own = Counter(terms(folded))
        if _COMPOSES.search(folded):
            if len(own) >= _FEWEST:
                known = min(1.0, len(counts) / _PASSAGE)
                found["off_topic"] = _OFF_TOPIC * known * _foreign(own, counts) ** 2
        elif own and _ASKS.search(folded):
            found["asks"] = _ASKED * _foreign(own, counts)
    return found


def _foreign(own: Mapping[str, int], counts: Mapping[str, int]) -> float:
    """Share of a sentence's content words that its passage uses nowhere else."""
    return sum(counts.get(term, 0) <= times for term, times in own.items()) / len(own)
