"""Readers for forms and URLs, which return printable text, numbers, or nothing; and the language that a browser asks
for."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request

from pipeline.translations import Translator
from pipeline.words.language import choose_words
from pipeline.words.text import strip_invisible

_LONGEST = 200


def browser_locale(request: Request) -> str:
    """Return the language that the browser asks for first, in the form that messages have."""
    return request.headers.get("accept-language", "")[:_LONGEST].partition(",")[0].partition(";")[0].strip()


def browser_translator(request: Request) -> Translator:
    """Return the translator for the first of the browser's languages that we speak."""
    languages = request.headers.get("accept-language", "")[:_LONGEST].split(",")
    return choose_words(None, (language.partition(";")[0].partition("-")[0].strip().lower() for language in languages))


MAX_DIGITS = 8
"""Digits of a number in a URL; it has fewer than these."""


def form_field(form: FormData, name: str) -> str:
    """Return the text of a field, the last where the field is repeated; empty for a file."""
    return (form_fields(form, name) or ("",))[-1]


def form_fields(form: FormData, name: str) -> tuple[str, ...]:
    """Return all texts of a field."""
    return tuple(text for value in form.getlist(name) if isinstance(value, str) and (text := strip_invisible(value)))


def query_text(request: Request, name: str) -> str:
    """Return a text parameter of the URL."""
    return strip_invisible(request.query_params.get(name, "")).strip()


def query_number(request: Request, name: str) -> int | None:
    """Return a number parameter of the URL; None where there is none."""
    digits = request.query_params.get(name, "")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < MAX_DIGITS else None
