"""What a form or an address says: text that may be shown, and numbers; of what is neither, nothing. And the language of
somebody of whom nothing is known but their browser."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request

from pipeline.translations import Translator
from pipeline.words.language import choose_words
from pipeline.words.text import strip_invisible

_LONGEST = 200


def browser_locale(request: Request) -> str:
    """The language that a browser asks for first, as messages name it."""
    return request.headers.get("accept-language", "")[:_LONGEST].partition(",")[0].partition(";")[0].strip()


def browser_translator(request: Request) -> Translator:
    """Words in the first language of the browser's that we speak."""
    wanted = request.headers.get("accept-language", "")[:_LONGEST].split(",")
    return choose_words(None, (one.partition(";")[0].partition("-")[0].strip().lower() for one in wanted))


MAX_DIGITS = 8
"""Of a number in an address, at most."""


def form_field(form: FormData, name: str) -> str:
    """What was filled in there, the last where the field is repeated; empty for a file."""
    return (form_fields(form, name) or ("",))[-1]


def form_fields(form: FormData, name: str) -> tuple[str, ...]:
    """All that was filled in under that name."""
    return tuple(text for one in form.getlist(name) if isinstance(one, str) and (text := strip_invisible(one)))


def query_text(request: Request, name: str) -> str:
    """A text in an address."""
    return strip_invisible(request.query_params.get(name, "")).strip()


def query_number(request: Request, name: str) -> int | None:
    """A number in an address; None where there is none."""
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < MAX_DIGITS else None
