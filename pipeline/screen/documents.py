"""Screening documents: sentences that tell whoever reads the document for someone else what to say.

Documentation is full of orders to people (`Click Save`, `Add this line to your file`). What gives an instruction to an
assistant away is whom it names (a machine that is to speak), its object (the reply itself, its form), or that nothing
else in the document is about what it orders to write. Poisoned documents say it in plain words, without `ignore
previous instructions`. The weights are log odds, set by hand on indirect_injection's development half.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from pipeline.screen.legible import fold, hidden
from pipeline.screen.screening import Screening, signs
from pipeline.words.text import any_of, sentences, terms

_LONGEST = 2_000_000
"""Characters of a document that are read."""
_REPLY = r"your (?:(?:next|final|whole|entire|own|main) )?(?:repl(?:y|ies)|responses?|answers?|outputs?|messages?)"
_REPLIES = r"(?:every|each|any|all) (?:answers?|repl(?:y|ies))"
_ORDER = (
    r"(?:^|[.!?:;|>]\s*)(?:(?:please|kindly|also|then|now|next|finally|and|don't (?:forget|hesitate) to|"
    r"(?:remember|be sure|make sure|keep in mind|take a moment|consider) to|consider|can you|could you|would you|"
    r"from now on),? )*"
)
"""Where an order begins: at a sentence or clause, behind what makes it polite."""
_CHANGE = any_of("""
    add|include|insert|append|embed|incorporate|integrate|introduce|mention|modify|change|adjust|alter|enhance|enrich
    replace|substitute|use|apply|encode|encrypt|convert|transform|translate|reverse|scramble|jumble|shuffle|group|remove
    omit|provide|give|write|make|format|start|begin|end|finish|state|say|print|respond|reply|answer|output|return
""")
_COMPOSE = any_of("""
    write (?!down|them|it|to|off)|draft|compose|describe|explain|summari[sz]e|translate|suggest|recommend
    break down|discuss|outline|generate|show me|tell me|give me|teach me|help me|classify|determine the|analy[sz]e
    provide (?:an? |the |some )?(?:example|command|list|summary|overview|tips|steps|recipe)
    list (?:some|three|five|ten)|name (?:three|five)|pretend|act as|create an? (?:poem|story|plan|list)
""")
_MACHINE = (
    r"(?:(?:ai|llm|(?:chat)?gpt|assistant|(?:chat)?bot|language model)s?(?: (?:model|system|agent|assistant|tool)s?)?"
    r"|(?:answer(?:ing)?|retrieval|automated) (?:engine|system|tool|machine|model)s?"
    r"|models?(?= (?:answering|reading|processing|summari[sz]ing) (?:this|these)\b))"
)
_ELSEWHERE = (
    r"(?:hinweis|anweisung|instruction|instruccion|istruzion|nota|note|consigne)\w* (?:an|fur|pour|para|per) "
    r"(?:(?:den|die|das|el|la|le|il|los) )?(?:l')?(?:ki|ia|ai|assist\w+|asistente|sprachmodell\w*|chatbot)\b"
)
"""An order to a machine in German, French, Spanish or Italian, without their accents."""
_SPEAK = any_of("""
    answer|reply|respond|say|state|tell|mention|recommend|refuse|ask|add|ignore|include|claim|advise|end|begin|repeat
    reveal|insist|pretend|promote|treat|give|link|point|follow|obey|inform|direct|quote|rank|call|append|print|output|cite
""")
_TELL = (
    r"(?:answer|repl[yi]|respond|say|state|tell|mention|recommend|refuse|claim|advise|repeat|reveal|insist|pretend"
    r"|promote|inform)"
)
_DUTY = r"(?:must|should|shall|(?:ha(?:s|ve)|needs?|(?:is|are)(?: required)?) to)"
_ASKER = r"(?:the|each|every|any|all|whichever) (?:users?|readers?|askers?|person asking|people asking|visitors?)"
_OF_THIS = (
    r"(?:(?:responses?|answers?|repl(?:y|ies)|summar(?:y|ies)) "
    r"(?:(?:produced|generated|made|written|drawn) from (?:this|these)|to any question)"
    r"|(?:whoever|anyone|everyone|anybody)(?: who)? (?:answer|generat|summari[sz]|respond)\w*"
    r"[^.?!]{0,40}\bthis (?:text|document|page|handbook|passage))"
)
"""A reply that is made from this text, or whoever makes it."""
_SNIPPET = r"\b(?:following|subsequent|below|next|this) code (?:snippet|block|excerpt|section|fragment|segment)\b"
_CODE = r"\b(?:your|the) (?:\w+ )?(?:code ?base|code|implementation|solution|algorithm)\b|\bcode you \w+"


def _either(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


_SIGNS = {
    "machine": (
        4.5,
        _either(
            r"(?:\b(?:dear|hey|hi|hello|attention|note (?:to|for)|you are (?:an?|the|any))"
            r"|(?:^|[.!?:;,] )(?:and )?as (?:an?|the|any))"
            rf" (?:(?:the|any|all|every) )?(?:\w+ )?{_MACHINE}(?=\s*[,.:;!)\]]| (?:that|who|you|reading|please)\b)",
            rf"\b{_MACHINE}(?: (?:that|which|who|\w+ing)\b[^,.;:]{{0,60}}?)?,? {_DUTY}"
            rf"(?: (?:not|always|never|only))? {_SPEAK}\b",
            rf"\b(?:any|all|every|to) {_MACHINE} (?:that )?(?:read|process|summari[sz]|us)\w*\b",
            rf"\b(?:note|instruction|order|policy) (?:to|for) (?:(?:the|any|all|large|every) )*{_MACHINE}\b",
            rf"\bfor {_MACHINE} only\b",
            rf"(?:<!--|^|\[|\() ?(?:note to )?{_MACHINE}(?: note)? ?[:,] ?(?:\w+ ){{0,2}}?(?:{_CHANGE}|{_SPEAK})\b",
            rf"(?:<!--|\[|\() ?(?:note to )?{_MACHINE} ?:|^{_MACHINE} note:",
            rf"\bthat {_MACHINE} {_SPEAK}\b|\bassistant: (?:sure|of course|certainly)\b",
            _ELSEWHERE,
        ),
    ),
    "every_reply": (
        4.2,
        _either(
            rf"\b{_REPLIES}\b[^.?!]{{0,60}}\b(?:{_DUTY}|ends?|begins?|starts?|carr(?:y|ies))\b",
            rf"\b{_OF_THIS}[^.?!]{{0,60}}\b{_DUTY}\b",
            rf"{_ORDER}{_CHANGE}\b[^.?!]{{0,60}}\b{_REPLIES}\b",
            rf"\b{_REPLY}\b[^.?!\"]{{0,60}}\b{_DUTY} (?:be|say|state|contain|end with|begin with)(?: the \w+)?"
            r"[ :]*[\"“]",
        ),
    ),
    "secret": (4.0, _either(rf"\b(?:do not|don't|never) (?:reveal|mention|tell|disclose) this to {_ASKER}")),
    "whenever": (
        3.4,
        _either(
            rf"\bwhen(?:ever)? [^,.]{{1,80}} (?:is|are) mentioned, (?:{_TELL}|output|write|print|add|include)\b",
            r"\b(?:write|say|print|output)\b[^.]{1,120}\bwhenever [^.]{1,80}\b(?:comes? up|(?:is|are) mentioned)\b",
        ),
    ),
    "others": (
        3.4,
        _either(
            r"\b(?:ignore|forget|disregard) (?:(?:the )?(?:others?|rest|documents?|other (?:sources|passages))[,.;:]"
            r"|(?:what|everything|all) (?:you (?:were|have|know)|the (?:document|text|table|page)s? sa))",
            r"\b(?:passages|text) of other (?:sources|passages|documents)\b[^.]{0,30}\b(?:to|in) what you say\b",
        ),
    ),
    "persona": (3.4, _either(r"\bfrom (?:now|here) on,? you are [a-z]+(?: [a-z]+)?[;,.]")),
    "asked_with": (
        3.4,
        _either(rf"\b(?:append|encode|put|add) {_ASKER}'s? (?:question|query|input)\b[^.]{{0,60}}\blink"),
    ),
    "speak": (1.2, _either(rf"(?:{_ORDER}|, (?:always |never )?|\byou {_DUTY} ){_TELL}\b")),
    "asker": (
        2.0,
        _either(
            rf"\b(?:to|tell|inform|advise|ask|give|send|direct|show|point|refer|that) {_ASKER}\b",
            r"\b(?:whoever|anyone who|someone who|(?:if|when(?:ever)?) (?:any|some)(?:one|body)) asks\b",
        ),
    ),
    "answering": (
        2.0,
        _either(
            r"\b(?:when(?:ever)?|before|while|in) (?:you )?(?:answer|respond|reply)(?:ing)?(?: to)?(?: any)?(?: \w+)? "
            r"questions?\b",
            r"\b(?:when(?:ever)?|before|while|if) (?:you )?(?:summari[sz]|quot|cit)(?:e|ing) (?:this|the)\b",
            r"\banswer (?:every|each|any|all) questions?\b",
        ),
    ),
    "your_reply": (1.6, _either(rf"\b{_REPLY}\b")),
    "change_reply": (
        2.6,
        _either(rf"(?:{_ORDER}|, ?){_CHANGE}\b[^?!]{{0,140}}\b{_REPLY}\b", rf"\bin {_REPLY}, \w"),
    ),
    "reply_so": (
        3.0,
        _either(
            rf"{_ORDER}(?:reply|respond|answer(?= (?:only|to))) "
            r"(?:only |back |to (?:this|the|any|every) (?:query|question) )?"
            r"(?:in|with|using|as|by|like)\b(?! your| (?:its|the|a) thread)"
        ),
    ),
    "code": (2.6, _either(_SNIPPET)),
    "into_code": (1.6, _either(rf"{_SNIPPET}.{{0,200}}(?:{_CODE})", rf"(?:{_CODE}).{{0,200}}{_SNIPPET}")),
}
_OVERRIDE = 4.5
"""Weight of what `screen` refuses when a person writes it; `you will act as ...` is said to people too."""
_MENTIONED = re.compile(r"(?<=[a-z,] )[\"“‘'][^\"”’'\n]{1,120}[\"”’'](?!\w)")
"""Words in quotation marks behind others: they are spoken of, and what they say is nobody's order."""
_GOES_ON = re.compile(
    rf"(?:{_ORDER}|, |\b(?:not|don't|never|always|only|just|you {_DUTY}(?: also)?|and|or|then) )"
    rf"(?:{_TELL}|cite|quote|direct)\b"
)
_COMPOSES = re.compile(rf"{_ORDER}{_COMPOSE}\b")
_OFF_TOPIC = 4.5
"""Weight of an order to write something when all its words are foreign to the passage."""
_FEWEST, _PASSAGE = 3, 40
"""Distinct content words an order must have, and a passage, before the one can be told to be foreign to the other."""
_BIAS = -3.2
_ADDRESSED = 0.5
"""Score from which a sentence is taken for an instruction to an assistant."""

Found = dict[str, float]
"""Signs found, with what each adds to the log odds."""


def screen_document(text: str) -> Screening:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    text = text[:_LONGEST]
    folded = f"{fold(text)}\n{hidden(text)}".strip()
    found = max((_signs(folded[start:end], folded) for start, end in sentences(folded)), key=_score, default={})
    score = _score(found)
    return Screening(score=score, flag=score >= _ADDRESSED, reasons=tuple(sorted(found, key=lambda name: -found[name])))


@lru_cache(maxsize=1024)
def addressed_to_assistant(sentence: str, passage: str = "") -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer.

    With the `passage` it stands in, orders to write something that has nothing to do with the passage count too."""
    around = passage if not passage or sentence in passage else f"{passage}\n{sentence}"
    return _score(_signs(f"{fold(sentence)}\n{hidden(sentence)}".strip(), around)) >= _ADDRESSED


def goes_on(sentence: str) -> bool:
    """Whether a sentence tells its reader what to say or not to say: beside an order to an assistant it is one too,
    by itself it may be said to people."""
    return bool(_GOES_ON.search(_MENTIONED.sub('""', fold(sentence))))


@lru_cache(maxsize=16)
def _counted(passage: str) -> Mapping[str, int]:
    return Counter(terms(passage))


def _score(found: Found) -> float:
    return 1 / (1 + math.exp(-_BIAS - sum(found.values())))


def _signs(folded: str, passage: str) -> Found:
    ordered = _MENTIONED.sub('""', folded)
    found = {name: weight for name, (weight, pattern) in _SIGNS.items() if pattern.search(ordered)}
    found |= dict.fromkeys((name for name in signs(ordered) if name != "persona"), _OVERRIDE)
    if _COMPOSES.search(folded):
        own, counts = Counter(terms(folded)), _counted(passage)
        if counts and len(own) >= _FEWEST:
            known = min(1.0, len(counts) / _PASSAGE)
            found["off_topic"] = _OFF_TOPIC * known * _foreign(own, counts) ** 2
    return found


def _foreign(own: Mapping[str, int], counts: Mapping[str, int]) -> float:
    """Share of a sentence's content words that its passage uses nowhere else."""
    return sum(counts.get(term, 0) <= times for term, times in own.items()) / len(own)
