"""What all values share."""

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
        """The same with `changes`, checked as if it were made anew: a dataclass or a value.

        Raises TypeError for fields that it does not have, ValueError for what does not fit."""
        if dataclasses.is_dataclass(value):
            return dataclasses.replace(value, **changes)
        kind, had = type(value), vars(value)
        if unknown := sorted(changes.keys() - had.keys()):
            raise TypeError(f"{kind.__name__} has no {', '.join(unknown)}")
        made = kind.__new__(kind)  # settings would read the environment again in their own way of being made
        return kind.__pydantic_validator__.validate_python(had | changes, self_instance=made, by_name=True)


class Value(BaseModel):
    """Frozen, and refuses fields it does not know; what does not fit is not repeated in the error."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def require_every(kinds: type[Enum], arms: Mapping[Any, object]) -> None:
    """Raise TypeError where a member of `kinds` has no arm, so that a forgotten one fails at import."""
    if forgotten := [member.name for member in kinds if member not in arms]:
        raise TypeError(f"{kinds.__name__} has no arm for {', '.join(forgotten)}")
