"""Values with a word in every field that holds text, so that a field that is new is not forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)
PLAIN: Mapping[Any, object] = {int: 1, float: 0.5, bool: True, datetime: datetime.now(UTC)}


def filled(kind: type[T], word: str, **given: object) -> T:
    """One of those, with `word` and its path in every text that is not `given`."""
    fields = {name: given.get(name, _made(one.annotation, f"{word} {name}")) for name, one in kind.model_fields.items()}
    return kind.model_validate(fields)


def _made(kind: Any, word: str) -> object:
    of = get_args(kind)
    if kind is str:
        return word
    if kind in PLAIN:
        return PLAIN[kind]
    if get_origin(kind) is dict:
        return {word: _made(of[1], word)}
    if get_origin(kind) is tuple:
        return tuple(_made(one, word) for one in of if one is not ...)
    if of:
        return _made(of[0], word)
    if issubclass(kind, Enum):
        return next(iter(kind))
    return {name: _made(one.annotation, f"{word} {name}") for name, one in kind.model_fields.items()}
