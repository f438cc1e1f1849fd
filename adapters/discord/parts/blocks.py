"""A page of a reply as discord.py's components."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Button, File, Reply
from adapters.discord import limits
from adapters.discord.parts import buttons
from adapters.discord.parts.render import Page
from pipeline.errors import Unusable
from pipeline.translations import Words

Row = Sequence[tuple[str, str]]
"""Buttons as (label, custom id)."""


def card(page: Page, *, root: str = "") -> ui.LayoutView:
    """The page with its buttons. Raises Unusable when it would break one of Discord's limits."""
    return layout((page.above, page.body, page.sources, page.status), pressed(page, root), page.files)


def layout(texts: Sequence[str], row: Row = (), files: Sequence[File] = ()) -> ui.LayoutView:
    """Texts above each other, divided by lines, the files that are sent along, and the buttons."""
    shown = [text for text in texts if text.strip()]
    items: list[ui.Item[Any]] = []
    for text in shown:
        if items and not text.startswith("-# "):
            items.append(ui.Separator())
        items.append(ui.TextDisplay(text))
    items += [ui.File(f"attachment://{file.name}") for file in files]
    for start in range(0, len(row), limits.BUTTONS):
        items.append(ui.ActionRow(*(PressButton(*one) for one in row[start : start + limits.BUTTONS])))
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*items))
    _check(view, shown, row)
    return view


def attachments(page: Page) -> list[discord.File]:
    """The page's files, to be sent along once: made anew for each attempt."""
    return [discord.File(io.BytesIO(file.content.encode()), file.name) for file in page.files]


def pressed(page: Page | Reply, root: str = "") -> Row:
    """Its buttons."""
    speech = Words(page.language)
    labels = {**{action: speech(label) for action, label in words.LABELS.items()}, Button.ASK: page.ask}
    return [(labels[action], buttons.custom_id(action.value, page.answer_id, root)) for action in page.actions]


def _check(view: ui.LayoutView, texts: Sequence[str], row: Row) -> None:
    size = sum(map(limits.length, texts))
    components = sum(1 for _ in view.walk_children())
    too_long = [label for label, name in row if len(name) > limits.CUSTOM_ID or limits.length(label) > limits.LABEL]
    if not texts or size > limits.TEXT or components > limits.COMPONENTS or too_long:
        raise Unusable(f"a message of {size} characters in {components} components breaks Discord's limits")


class PressButton(ui.DynamicItem[ui.Button[ui.LayoutView]], template=buttons.TEMPLATE):
    """Any button of ours. What it does is read from its custom id, so it works after a restart."""

    def __init__(self, label: str, custom_id: str) -> None:
        super().__init__(ui.Button(label=label, custom_id=custom_id, style=discord.ButtonStyle.secondary))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: ui.Item[Any], match: Any, /
    ) -> PressButton:
        return cls(getattr(item, "label", "") or "·", match.string)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.pressed(interaction, self.custom_id)
