"""Custom ids of buttons and modals: an action, an answer's id and the root of its conversation, nothing else.

A custom id is visible to clients and survives a restart, so it holds no text and grants nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pipeline.errors import UnusableResponse

CUSTOM_ID_PATTERN = re.compile(r"cw:(?P<action>[a-z]{1,12}):(?P<answer>[^:\n]{0,50}):(?P<root>\d{0,20})")


def build_custom_id(action: str, answer_id: str = "", root: str = "") -> str:
    """Return a custom id of at most 88 characters. Raises UnusableResponse for an answer id that does not fit."""
    custom_id = f"cw:{action}:{answer_id}:{root}"
    if not CUSTOM_ID_PATTERN.fullmatch(custom_id):
        raise UnusableResponse(f"cannot be a custom id: {custom_id!r}")
    return custom_id


def find_root(components: Any) -> str:
    """Return the conversation root that the buttons of our message carry; empty when they carry none."""
    for custom_id in iter_custom_ids(components):
        match = CUSTOM_ID_PATTERN.fullmatch(custom_id)
        if match and match["root"]:
            return match["root"]
    return ""


def iter_texts(components: Any) -> Iterator[str]:
    """Yield the texts in components, from top to bottom."""
    for component in components:
        if text := getattr(component, "content", None):
            yield text
        yield from iter_texts(getattr(component, "children", ()))


def iter_custom_ids(components: Any) -> Iterator[str]:
    """Yield the custom ids in components, however deep."""
    for component in components:
        if name := getattr(component, "custom_id", None):
            yield name
        yield from iter_custom_ids(getattr(component, "children", ()))
