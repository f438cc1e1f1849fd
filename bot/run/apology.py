"""What is posted in the place of an answer, or above one that comes late."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator

from pipeline.compose.compose import failed
from pipeline.ports import streaming
from pipeline.translations import Message, Words
from pipeline.values import Answer, Event, Work, replace
from pipeline.words import wording


def apology(work: Work, said: Message | None = None) -> Answer:
    """What is `said` in the place of an answer; without it, an incident that the log names."""
    words = Words(work.language)
    incident = "" if said else secrets.token_hex(4)
    return failed(secrets.token_hex(8), work.message.text, incident, words, text=words(said) if said else "")


def with_apology(answer: Answer) -> Answer:
    preface = f"{Words(answer.language)(wording.LATE)} {answer.preface}".strip()
    return replace(answer, preface=preface)


@streaming
async def only(answer: Answer) -> AsyncGenerator[Event, None]:
    yield answer
