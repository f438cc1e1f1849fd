"""Types of settings whose limits pydantic has no words for. Each check raises ValueError with the allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_network
from urllib.parse import urlsplit

from pydantic import AfterValidator

from bot import registry
from pipeline.rules.setting_types import is_http_url, text_validator

_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_NO_BRANCH = re.compile(r"[\s~^:?*\[\\\x00-\x1f\x7f]|\.\.|@\{|//|\.lock$|[./]$|^/")
"""Texts that git does not take for a name (git-check-ref-format)."""


def one_of(*forms: str) -> AfterValidator:
    """Return a validator for a text that is one of `forms`; a form such as `openai:NAME` or `onnx:FOLDER` stands for
    every name."""
    open_ended = tuple(form[: form.index(":") + 1] for form in forms if ":" in form)

    def fits(value: str) -> bool:
        return (value in forms and ":" not in value) or (value.startswith(open_ended) and value not in open_ended)

    return text_validator(fits, join_alternatives(forms, "or"))


def join_alternatives(names: Iterable[str], word: str) -> str:
    """Join names as `a, b or c`."""
    *some, last = names
    return f"{', '.join(some)} {word} {last}"


def parse_networks(value: object) -> object:
    """Return addresses and networks as a list; it may be written as one text. Raises ValueError for anything else."""
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    try:
        return [str(ip_network(part)) for part in parts if isinstance(part, str)]  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise ValueError("addresses or networks, such as 10.0.0.5,172.16.0.0/12") from error


def check_collection_name(value: str) -> str:
    """Return `value`, if a collection may have that name. Raises ValueError."""
    if not value.replace("-", "").replace("_", "").isalnum():
        raise ValueError("a name of letters, digits, - and _")
    return value


def _clones(value: str) -> bool:
    known = is_http_url(value) or value.startswith("file:///")
    return known and "@" not in urlsplit(value).netloc and not _BLANK.search(value)


def _names_branch(value: str) -> bool:
    return not value.startswith("-") and not _NO_BRANCH.search(value)


GitUrl = text_validator(
    _clones, "the https:// address that the host shows for cloning (SSH is not supported), without a password"
)
Branch = text_validator(_names_branch, "the name of a branch, such as main")
SpaceKey = text_validator(re.compile(r"~?[\w.:-]+").fullmatch, 'keys of spaces, such as ["ENG", "HR"]')
Repository = text_validator(re.compile(r"[\w-]+/[\w.-]+").fullmatch, "owner/name of a repository")
"""A repository on GitHub."""
FolderId = text_validator(
    re.compile(r"[\w-]+").fullmatch, "the id of a folder or of a shared drive, the last part of its address"
)
"""A folder in Google Drive."""
EnvVarName = text_validator(
    re.compile(r"[A-Z_][A-Z0-9_]*|").fullmatch,
    "the name of an environment variable in capitals; the secret itself stands in the environment",
)
"""The variable that holds a secret; empty: none."""
PlaceName = AfterValidator(lambda place: registry.platforms().parse_place(str(place)))
"""A workspace, a server or a channel of one."""
AudienceGroup = AfterValidator(lambda text: registry.platforms().parse_group(text))
"""Readers of a collection: `platform:id[:id…]`."""
RoleHolder = AfterValidator(lambda text: registry.platforms().parse_role_holder(text))
"""A holder of a role: never a channel, which people join by themselves."""
Recipient = AfterValidator(lambda text: registry.platforms().check_recipient(text))
"""A place or person that the bot may post to by itself."""
CollectionName = AfterValidator(check_collection_name)
