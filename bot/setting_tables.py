"""The tables of `citewell.toml`: who may see which collection, and who may change things."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import Annotated, get_args

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from bot.setting_types import Bearer, Group


class Table(BaseModel):
    """One table; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Collection(Table):
    """Who may see a collection. Without an entry, everyone inside the organisation may."""

    only: tuple[Annotated[str, Group], ...] = ()
    """Groups such as `slack:T1`, `slack:T1:C2`, `slack:T1:U3`, `discord:G1:role:R4`; empty: everyone inside."""
    public: bool = False
    """People of other organisations (Slack Connect) may see it too."""


class Roles(Table):
    """Who may change things. Without an entry, nobody on a platform may."""

    admin: tuple[Annotated[str, Bearer], ...] = ()
    """May set up places, and all that contributors may."""
    contributor: tuple[Annotated[str, Bearer], ...] = ()
    """May keep a person's reply as an answer."""


@dataclass(frozen=True)
class Keys:
    """What may stand in a table of the file."""

    model: type[BaseModel]
    named: bool
    """There are several, `[collections.NAME]`, not one, `[roles]`."""

    @property
    def depth(self) -> int:
        """Where in the path of an error the key stands."""
        return 2 if self.named else 1

    @property
    def keys(self) -> str:
        *some, last = self.model.model_fields
        return f"{', '.join(some)} or {last}"

    def field(self, loc: tuple[int | str, ...]) -> FieldInfo | None:
        """The key that an error is about; None for the table itself."""
        return self.model.model_fields.get(str(loc[self.depth])) if len(loc) > self.depth else None

    def hint(self, key: str) -> str:
        near = difflib.get_close_matches(key.lower(), self.model.model_fields, n=1, cutoff=0.7)
        return f". Did you mean {near[0]}?" if near else f"; there are {self.keys.replace(' or ', ' and ')}"

    @staticmethod
    def title(*names: object) -> str:
        """`[collections.hr]`, `[places."slack:T1"]`."""
        return f"[{'.'.join(json.dumps(name) if ':' in str(name) else str(name) for name in names)}]"


def table_of(info: FieldInfo) -> Keys | None:
    """What may stand in a setting that is a table of the file, or several."""
    kinds = [info.annotation, *get_args(info.annotation)]
    found = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return Keys(found[-1], named=found[-1] is not info.annotation) if found else None
