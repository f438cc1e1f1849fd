"""Validated types of settings that pydantic does not have. Each check raises ValueError with what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from pydantic import AfterValidator


def text_validator(fits: Callable[[str], object], allowed: str) -> AfterValidator:
    """Return a validator of texts that `fits` accepts; `allowed` is its error message."""

    def check(value: str) -> str:
        if not fits(value):
            raise ValueError(allowed)
        return value

    return AfterValidator(check)


def split_list(value: object, form: str, allowed: str) -> object:
    """Split a list that may be written as one text. Raises ValueError where an entry is not of that `form`."""
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(re.fullmatch(form, str(part)) for part in parts):
        raise ValueError(allowed)
    return parts


def is_http_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_server(value: str) -> bool:
    return is_http_url(value) and urlsplit(value).path in ("", "/") and not urlsplit(value).query


def _is_listener(value: str) -> bool:
    try:
        parts = urlsplit(f"//{value}")
        return bool(parts.hostname and parts.port) and parts.netloc == value and "@" not in value
    except ValueError:
        return False


HttpAddress = text_validator(is_http_url, "an address that begins with http:// or https://")
"""URL with or without a path."""
ServerUrl = text_validator(_is_server, "the address of a server: http://HOST:PORT or https://HOST:PORT")
ListenAddress = text_validator(_is_listener, "HOST:PORT, such as 127.0.0.1:9464")
"""Address that a server of ours listens on: `HOST:PORT`, `[::1]:PORT`."""
