"""What is wrong with a table `[[sources]]`, in words."""

from __future__ import annotations

import difflib

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.source_tables import KINDS

OF_TABLE = 3
"""The length of the path of an error about a whole table: the setting, its number, its kind."""


def where(error: ErrorDetails) -> str:
    """`[[sources]] number 2, url`."""
    return ", ".join(filter(None, [f"[[sources]] number {int(error['loc'][1]) + 1}", key(error)]))


def key(error: ErrorDetails) -> str:
    """The key that it is about; empty when it is the table as a whole."""
    return str(error["loc"][OF_TABLE]) if len(error["loc"]) > OF_TABLE else ""


def said(error: ErrorDetails) -> str:
    """What is wrong with the table as a whole or with the name of a key; empty when it is a key's value."""
    kinds = f"{', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}"
    match error["type"]:
        case "value_error" if len(error["loc"]) == OF_TABLE:
            return f"must be {error['ctx']['error']}"
        case "union_tag_not_found":
            return f"has no kind, which must be {kinds}"
        case "union_tag_invalid":
            return f"the kind must be {kinds}, not {(error.get('ctx') or {}).get('tag', '')!r}"
        case "missing":
            return "is missing"
        case "extra_forbidden":
            known = list(KINDS[str(error["loc"][2])].model_fields)
            near = difflib.get_close_matches(str(error["loc"][-1]).lower(), known, n=1, cutoff=0.7)
            hint = f". Did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            return f"there is no such key{hint}"
    return ""


def field_of(error: ErrorDetails) -> FieldInfo:
    """The key whose value is wrong."""
    return KINDS[str(error["loc"][2])].model_fields[key(error)]
