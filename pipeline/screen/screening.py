"""The three decisions of the screen."""

from __future__ import annotations

import re

from pipeline.values import Value

_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.?!\n]{0,40}?"
    r"\b(?:(?:previous|prior|above|earlier|preceding|all|any|your|every)\b[^.?!\n]{0,30}?"
    r"\b(?:instructions?|rules|prompts?|guidelines|directions)|above)\b"
    r"|\bforget (?:all|everything)\b|\bnew instructions?:|^\s*system:|<script|\bjavascript:|\bdata:text/",
    re.IGNORECASE | re.MULTILINE,
)
_READER = re.compile(
    r"\b(?:in|to|of) your (?:reply|response|answer)\b|\byour (?:reply|response|answer)\b", re.IGNORECASE
)


class Screening(Value):
    """What the screen found. `score` lies between 0 and 1; `decline` implies `flag`."""

    score: float
    flag: bool
    """Worth logging; answered under the output rules."""
    decline: bool
    """Refused."""
    reasons: tuple[str, ...] = ()


def screen(text: str) -> Screening:
    """Screen what a person wrote to the bot."""
    found = _OVERRIDE.search(text)
    return Screening(score=0.99 if found else 0.0, flag=bool(found), decline=bool(found))


def screen_document(text: str) -> Screening:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    found = _OVERRIDE.search(text) or _READER.search(text)
    return Screening(score=0.99 if found else 0.0, flag=bool(found), decline=False)


def addressed_to_assistant(sentence: str) -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer."""
    return bool(_OVERRIDE.search(sentence) or _READER.search(sentence))
