"""Kinds of settings whose limits pydantic has no words for. Each check raises ValueError with what is allowed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import AfterValidator

from adapters.discord.shards import Shards

GROUP_PLATFORMS = ("slack:", "discord:")
_SPACE_KEY = re.compile(r"~?[\w.:-]+")
_REPOSITORY = re.compile(r"[\w-]+/[\w.-]+")
_FOLDER_ID = re.compile(r"[\w-]+")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*|")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_NO_BRANCH = re.compile(r"[\s~^:?*\[\\\x00-\x1f\x7f]|\.\.|@\{|//|\.lock$|[./]$|^/")
"""What git takes for something else than a name (git-check-ref-format)."""
_BEARER = re.compile(r"slack:[TE][A-Z0-9]+:([UW]|group:S)[A-Z0-9]+|discord:(user|[0-9]+:role):[0-9]+")

_RECIPIENT = re.compile(r"slack:[TE][A-Z0-9]+:[CGUW][A-Z0-9]+|discord:(user|[0-9]+):[0-9]+")


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


def _listener(value: str) -> str:
    try:
        parts = urlsplit(f"//{value}")
        fits = bool(parts.hostname and parts.port) and parts.netloc == value and "@" not in value
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("HOST:PORT, such as 127.0.0.1:9464")
    return value


def _git_url(value: str) -> str:
    if (
        not (_is_address(value) or value.startswith("file:///"))
        or "@" in urlsplit(value).netloc
        or _BLANK.search(value)
    ):
        raise ValueError(
            "the https:// address that the host shows for cloning (SSH is not supported), without a password"
        )
    return value


def _branch(value: str) -> str:
    if value.startswith("-") or _NO_BRANCH.search(value):
        raise ValueError("the name of a branch, such as main")
    return value


def _space_key(value: str) -> str:
    if not _SPACE_KEY.fullmatch(value):
        raise ValueError('keys of spaces, such as ["ENG", "HR"]')
    return value


def _repository(value: str) -> str:
    if not _REPOSITORY.fullmatch(value):
        raise ValueError("owner/name of a repository")
    return value


def _folder_id(value: str) -> str:
    if not _FOLDER_ID.fullmatch(value):
        raise ValueError("the id of a folder or of a shared drive, the last part of its address")
    return value


def _variable(value: str) -> str:
    if not _VARIABLE.fullmatch(value):
        raise ValueError("the name of an environment variable in capitals; the secret itself stands in the environment")
    return value


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


def _recipient(value: str) -> str:
    if not _RECIPIENT.fullmatch(value):
        raise ValueError(
            "a channel or a person: slack:T0123:C0456, slack:T0123:U0456, discord:1234:5678 or discord:user:1234"
        )
    return value


def collection_name(value: str) -> str:
    """`value`, if a collection may be called that. Raises ValueError."""
    if not value.replace("-", "").replace("_", "").isalnum():
        raise ValueError("a name of letters, digits, - and _")
    return value


def _shard_range(value: str) -> str:
    Shards.parse(value)
    return value


def listed(value: object, form: str, allowed: str) -> object:
    """The parts of a list that may be written as one text. Raises ValueError where one is not of that `form`."""
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(re.fullmatch(form, str(part)) for part in parts):
        raise ValueError(allowed)
    return parts


Address = AfterValidator(_address)
"""An `http(s)://` address, with or without a path."""
Server = AfterValidator(_server)
"""An `http(s)://` address without a path."""
Listener = AfterValidator(_listener)
"""Where a server of ours listens: `HOST:PORT`, `[::1]:PORT`."""
GitUrl = AfterValidator(_git_url)
"""Where git clones from."""
Branch = AfterValidator(_branch)
SpaceKey = AfterValidator(_space_key)
Repository = AfterValidator(_repository)
"""On GitHub: `owner/name`."""
FolderId = AfterValidator(_folder_id)
"""In Google Drive."""
Variable = AfterValidator(_variable)
"""The name of a variable that holds a secret; empty: none."""
Group = AfterValidator(_group)
"""Who may see a collection: `platform:id[:id…]`."""
Bearer = AfterValidator(_bearer)
"""Whom a role may be given to: never a channel, which people join by themselves."""
ShardRange = AfterValidator(_shard_range)
"""Which of all shards on Discord."""
CollectionName = AfterValidator(collection_name)
Recipient = AfterValidator(_recipient)
"""Where the bot may post by itself: a channel or a person."""
