"""What a form or an address says: text that may be shown, and numbers; of what is neither, nothing. And the language of
somebody of whom nothing is known but their browser."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request

from pipeline.translations import Words
from pipeline.words.language import speaking
from pipeline.words.text import visible

_LONGEST = 200


def locale(request: Request) -> str:
    """The language that a browser asks for first, as messages name it."""
    return request.headers.get("accept-language", "")[:_LONGEST].partition(",")[0].partition(";")[0].strip()


def spoken(request: Request) -> Words:
    """Words in the first language of the browser's that we speak."""
    wanted = request.headers.get("accept-language", "")[:_LONGEST].split(",")
    return speaking(None, (one.partition(";")[0].partition("-")[0].strip().lower() for one in wanted))


DIGITS = 8
"""Of a number in an address, at most."""


def field(form: FormData, name: str) -> str:
    """What was filled in there, the last where the field is repeated; empty for a file."""
    return (fields(form, name) or ("",))[-1]


def fields(form: FormData, name: str) -> tuple[str, ...]:
    """All that was filled in under that name."""
    return tuple(text for one in form.getlist(name) if isinstance(one, str) and (text := visible(one)))


def parameter(request: Request, name: str) -> str:
    """A text in an address."""
    return visible(request.query_params.get(name, "")).strip()


def number(request: Request, name: str) -> int | None:
    """A number in an address; None where there is none."""
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < DIGITS else None
