"""Kinds of settings whose limits pydantic has no words for. Each check raises ValueError with what is allowed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import AfterValidator

from pipeline.values import place_id

GROUP_PLATFORMS = ("slack:", "discord:")
_BEARER = re.compile(r"slack:[TE][A-Z0-9]+:([UW]|group:S)[A-Z0-9]+|discord:(user|[0-9]+:role):[0-9]+")


def one_of(*forms: str) -> AfterValidator:
    """A text that is one of `forms`; a form such as `openai:NAME` stands for every name."""

    def check(value: str) -> str:
        fits = value in forms or any(
            form.endswith(":NAME") and value.startswith(form[:-4]) and len(value) > len(form) - 4 for form in forms
        )
        if not fits:
            raise ValueError(f"{', '.join(forms[:-1])} or {forms[-1]}")
        return value

    return AfterValidator(check)


def _address(value: str) -> str:
    if not _is_address(value):
        raise ValueError("an address that begins with http:// or https://")
    return value


def _server(value: str) -> str:
    if not _is_address(value) or urlsplit(value).path not in ("", "/") or urlsplit(value).query:
        raise ValueError("the address of a server: http://HOST:PORT or https://HOST:PORT")
    return value


def _is_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _group(value: str) -> str:
    if not value.startswith(GROUP_PLATFORMS) or not all(value.split(":")):
        raise ValueError("a group, such as slack:T0123:C0456 (a channel) or discord:1234:role:5678 (a role)")
    return value


def _bearer(value: str) -> str:
    if not _BEARER.fullmatch(value):
        raise ValueError(
            "a person, user group or role: slack:T0123:U0456, slack:T0123:group:S0789, discord:user:1234 or "
            "discord:1234:role:5678"
        )
    return value


def collection_name(value: str) -> str:
    """`value`, if a collection may be called that. Raises ValueError."""
    if not value.replace("-", "").replace("_", "").isalnum():
        raise ValueError("a name of letters, digits, - and _")
    return value


Address = AfterValidator(_address)
"""An `http(s)://` address, with or without a path."""
Server = AfterValidator(_server)
"""An `http(s)://` address without a path."""
Group = AfterValidator(_group)
"""Who may see a collection: `platform:id[:id…]`."""
Bearer = AfterValidator(_bearer)
"""Whom a role may be given to: never a channel, which people join by themselves."""
PlaceId = AfterValidator(place_id)
"""A workspace, server or channel."""
CollectionName = AfterValidator(collection_name)
