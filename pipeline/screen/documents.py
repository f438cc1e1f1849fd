"""Screening documents and passages: instructions to whoever reads them for someone else."""

from __future__ import annotations

import re

from pipeline.screen.screening import Screening, screen

_READER = re.compile(
    r"\b(?:in|to|of) your (?:reply|response|answer)\b|\byour (?:reply|response|answer)\b", re.IGNORECASE
)


def screen_document(text: str) -> Screening:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    found = screen(text)
    return found.model_copy(update={"flag": found.flag or bool(_READER.search(text)), "decline": False})


def addressed_to_assistant(sentence: str) -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer."""
    return screen_document(sentence).flag
