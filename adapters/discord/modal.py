"""The modal that asks why an answer did not help. It is read from what Discord sends, not from memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import discord
from discord import ui

from adapters.discord import buttons
from adapters.replies import words
from pipeline import wording
from pipeline.translations import ENGLISH, Words
from pipeline.values import Reason

REASON_FIELD, COMMENT_FIELD = "reason", "comment"
COMMENT_ROOM = 1000
OPEN_SECONDS = 900.0


def reason_modal(answer_id: str, speech: Words = ENGLISH) -> ui.Modal:
    options = [
        discord.SelectOption(label=speech(label), value=reason.value) for reason, label in wording.REASONS.items()
    ]
    custom_id = buttons.custom_id(buttons.REASON, answer_id)
    modal = ui.Modal(title=speech(words.REASON_TITLE), custom_id=custom_id, timeout=OPEN_SECONDS)
    choice: ui.Select[Any] = ui.Select(custom_id=REASON_FIELD, options=options, required=False, min_values=0)
    modal.add_item(ui.Label(text=speech(words.REASON_LABEL), component=choice))
    comment: ui.TextInput[Any] = ui.TextInput(
        custom_id=COMMENT_FIELD, style=discord.TextStyle.paragraph, required=False, max_length=COMMENT_ROOM
    )
    modal.add_item(ui.Label(text=speech(words.COMMENT_LABEL), component=comment))
    return modal


def reason_given(data: Any) -> tuple[Reason | None, str]:
    """The reason and the comment of a submitted modal; what is not there is None and empty."""
    reason: Reason | None = None
    comment = ""
    for field in fields((data or {}).get("components", ())):
        if field.get("custom_id") == REASON_FIELD and (chosen := field.get("values")):
            reason = Reason(chosen[0]) if chosen[0] in tuple(Reason) else None
        elif field.get("custom_id") == COMMENT_FIELD:
            comment = str(field.get("value") or "")[:COMMENT_ROOM]
    return reason, comment


def fields(components: Any) -> Iterator[dict[str, Any]]:
    """Everything that was filled in, as Discord sends it."""
    for one in components:
        yield one
        yield from fields(one.get("components", ()))
        if one.get("component"):
            yield one["component"]
