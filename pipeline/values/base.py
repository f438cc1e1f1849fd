"""The base of all values, and a typed `replace`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from dataclasses import replace as replace  # mypy holds each change to the fields of what is given
else:

    def replace(value: Any, **changes: Any) -> Any:
        """Return a copy of a dataclass or a value with `changes`, validated like a new one.

        Raises TypeError for unknown fields, ValueError for invalid values."""
        if dataclasses.is_dataclass(value):
            return dataclasses.replace(value, **changes)
        kind, fields = type(value), vars(value)
        if unknown := sorted(changes.keys() - fields.keys()):
            raise TypeError(f"{kind.__name__} has no {', '.join(unknown)}")
        copy = kind.__new__(kind)  # not by `kind()`: the constructor of settings would read the environment again
        return kind.__pydantic_validator__.validate_python(fields | changes, self_instance=copy, by_name=True)


class Value(BaseModel):
    """A frozen value that refuses unknown fields; validation errors do not repeat the input."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def require_every(kinds: type[Enum], arms: Mapping[Any, object]) -> None:
    """Raise TypeError where a member of `kinds` has no arm, so that a forgotten one fails at import."""
    if forgotten := [member.name for member in kinds if member not in arms]:
        raise TypeError(f"{kinds.__name__} has no arm for {', '.join(forgotten)}")
