"""The language that a page speaks to somebody of whom nothing is known but their browser."""

from __future__ import annotations

from starlette.requests import Request

from pipeline.translations import Words
from pipeline.words.language import speaking

_LONGEST = 200


def locale(request: Request) -> str:
    """The language that a browser asks for first, as messages name it."""
    return request.headers.get("accept-language", "")[:_LONGEST].partition(",")[0].partition(";")[0].strip()


def spoken(request: Request) -> Words:
    """Words in the first language of the browser's that we speak."""
    wanted = request.headers.get("accept-language", "")[:_LONGEST].split(",")
    return speaking(None, (one.partition(";")[0].partition("-")[0].strip().lower() for one in wanted))
