"""Forms as Discord's modals. They are read from what Discord sends, not from memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import discord
from discord import ui

from adapters.chat.words.forms import ChoiceField, Filled, Form, TextField
from adapters.discord.parts import buttons

OPEN_SECONDS = 900.0
OPTIONS, OPTION = 25, 100
"""Of one field, and characters of what one is called."""


def modal(form: Form) -> ui.Modal:
    made = ui.Modal(title=form.title, custom_id=buttons.custom_id(form.name, form.about), timeout=OPEN_SECONDS)
    for field in form.fields:
        component = _typed(field) if isinstance(field, TextField) else _chosen(field)
        made.add_item(ui.Label(text=field.label, description=field.hint or None, component=component))
    return made


def filled(data: Any) -> Filled:
    """What a submitted form says."""
    return {
        str(field.get("custom_id")): tuple(
            str(one) for one in [*(field.get("values") or ()), field.get("value")] if one
        )
        for field in _fields((data or {}).get("components", ()))
    }


def _typed(field: TextField) -> ui.Item[Any]:
    style = discord.TextStyle.paragraph if field.lines else discord.TextStyle.short
    text: ui.TextInput[Any] = ui.TextInput(
        custom_id=field.name, style=style, required=field.required, max_length=field.most, default=field.value or None
    )
    return text


def _chosen(field: ChoiceField) -> ui.Item[Any]:
    options = [
        discord.SelectOption(label=name[:OPTION], value=value, default=value in field.first)
        for value, name in list(field.options.items())[:OPTIONS]
    ]
    select: ui.Select[Any] = ui.Select(
        custom_id=field.name,
        options=options,
        required=field.required,
        min_values=int(field.required),
        max_values=len(options) if field.several else 1,
    )
    return select


def _fields(components: Any) -> Iterator[dict[str, Any]]:
    """Everything that was filled in."""
    for one in components:
        yield one
        yield from _fields(one.get("components", ()))
        if one.get("component"):
            yield one["component"]
