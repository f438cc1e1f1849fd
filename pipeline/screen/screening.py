"""Screening what a person writes to the bot."""

from __future__ import annotations

import re

from pipeline.screen.legible import fold, hidden
from pipeline.values import Value

_LONGEST = 20_000
"""Characters that are read, half of them from the end; a question may have far fewer."""
_ORDER = r"(?:^|[^\w\s'][\"'\s]{0,3}|\n\s{0,3}|\b(?:you to|you (?:must|should|will|can|may)|and|please|now|then|just) )"
"""Where an order begins, so that `how do I ignore ...` and `can managers override ...` are none."""
_RULES = r"(?:instructions?|directives?|prompts?|rules|guidelines|orders|commands|restrictions|programming)"
_EARLIER = r"(?:previous|prior|preceding|earlier|above|initial|original)"
_ELSEWHERE = r"(?:instruc\w+|instrukt\w+|anweisung\w*|vorgaben|angaben|regeln|consignes|regles|reglas|regras|regole)"
"""German, French, Spanish, Portuguese, Italian and Dutch, without their accents."""
SIGNS = {
    "override": re.compile(
        rf"{_ORDER}(?:ignore|disregard|forget|override|bypass)\b(?:"
        rf" (?:\w+ ){{0,3}}(?:{_EARLIER}|all|your) (?:\w+ ){{0,2}}{_RULES}\b"
        rf"|(?: \w+){{0,2}} (?:everything|all|the text) {_EARLIER}\b"
        rf"|(?: \w+){{0,2}} everything before\b|,? (?:all )?(?:the )?(?:above|previous)(?: and|[.!:;,]|$))"
        rf"|{_ORDER}(?:bitte )?(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|oublie\w*|ignorez|ignor[ae]"
        rf"|olvid[ae]\w*|esquec[ae]|dimentica\w*|negeer|vergeet)\b(?: \w+){{0,4}}? {_ELSEWHERE}\b"
        r"|指示を(?:無視|忘れ)|(?:忽略|无视|忘记)[^。]{0,10}(?:指示|指令)"
        r"|(?:игнорируи|забудь)\w* \w+ (?:инструкц|указан)"
    ),
    "persona": re.compile(
        r"\byou(?: are|'re| will) now\b(?: \w+){0,6} (?:act|ai|model|assistant|bot|chatgpt|mode|role|character)\b"
        r"|\bfrom now on,? you (?:are|(?:will|must|should|are going to) (?:act|answer|respond|reply|be))\b"
        r"|\byou (?:are going to|will|must|should) (?:act|pretend|role-?play|behave|respond) (?:as|to be|like)\b"
    ),
    "prompt": re.compile(
        r"\byour (?:\w+ )?(?:system|hidden|initial|original|secret|internal) (?:prompt|instructions|configuration)\b"
        r"|\b(?:show|print|reveal|repeat|output|display|leak)(?: \w+){0,4} (?:system prompt|your prompt)\b"
        r"|\binstructions you (?:were|have been) given\b"
    ),
    "template": re.compile(
        r"<\|(?:im_start|im_end|system|endoftext)\b|\[/?inst\]|<</?sys>>|</?(?:system|instructions)>"
        r"|### ?(?:instruction|response):"
    ),
}
"""Signs of an order to the assistant itself, in folded text. None is found in a harmless text of direct_injection."""


class Screening(Value):
    """What the screen found."""

    score: float
    """Between 0 and 1."""
    flag: bool
    reasons: tuple[str, ...] = ()
    """The signs found."""


def screen(text: str) -> Screening:
    """Screen what a person wrote to the bot: what is flagged is refused."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    found = signs(f"{fold(text)}\n{hidden(text)}".strip())
    return Screening(score=float(bool(found)), flag=bool(found), reasons=found)


def signs(folded: str) -> tuple[str, ...]:
    """The names of the signs in a folded text."""
    return tuple(name for name, pattern in SIGNS.items() if pattern.search(folded))
