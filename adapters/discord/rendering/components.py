"""Rendering of a reply's pages as discord.py's components."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.chat.reply import labels as words
from adapters.chat.reply.parts import Reply, ReplyButton, ReplyFile
from adapters.discord import limits
from adapters.discord.rendering import custom_ids
from adapters.discord.rendering.render import DiscordPage
from pipeline.errors import UnusableResponse
from pipeline.translations import Translator

ButtonRow = Sequence[tuple[str, str]]
"""Buttons as (label, custom id)."""


def build_card(page: DiscordPage, *, root: str = "") -> ui.LayoutView:
    """Return the page with its buttons. Raises UnusableResponse when it would break one of Discord's limits."""
    return build_layout((page.above, page.body, page.sources, page.status), page_buttons(page, root), page.files)


def build_layout(texts: Sequence[str], row: ButtonRow = (), files: Sequence[ReplyFile] = ()) -> ui.LayoutView:
    """Return the texts above each other, divided by lines, then the attached files and the buttons."""
    visible = [text for text in texts if text.strip()]
    items: list[ui.Item[Any]] = []
    for text in visible:
        if items and not text.startswith("-# "):
            items.append(ui.Separator())
        items.append(ui.TextDisplay(text))
    items += [ui.File(f"attachment://{file.name}") for file in files]
    for start in range(0, len(row), limits.MAX_BUTTONS):
        items.append(ui.ActionRow(*(DiscordButton(*button) for button in row[start : start + limits.MAX_BUTTONS])))
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*items))
    _check_limits(view, visible, row)
    return view


def page_files(page: DiscordPage) -> list[discord.File]:
    """Open the page's files, anew for each attempt to send them."""
    return [discord.File(io.BytesIO(file.content.encode()), file.name) for file in page.files]


def page_buttons(page: DiscordPage | Reply, root: str = "") -> ButtonRow:
    """Return the page's buttons."""
    translator = Translator(page.language)
    labels = {
        **{action: translator(label) for action, label in words.BUTTON_LABELS.items()},
        ReplyButton.ASK: page.ask_label,
    }
    return [(labels[action], custom_ids.build_custom_id(action.value, page.answer_id, root)) for action in page.buttons]


def _check_limits(view: ui.LayoutView, texts: Sequence[str], row: ButtonRow) -> None:
    size = sum(map(limits.utf16_length, texts))
    components = sum(1 for _ in view.walk_children())
    too_long = [
        label
        for label, name in row
        if len(name) > limits.MAX_CUSTOM_ID or limits.utf16_length(label) > limits.MAX_BUTTON_LABEL
    ]
    if not texts or size > limits.MAX_TEXT or components > limits.MAX_COMPONENTS or too_long:
        raise UnusableResponse(f"a message of {size} characters in {components} components breaks Discord's limits")


class DiscordButton(ui.DynamicItem[ui.Button[ui.LayoutView]], template=custom_ids.CUSTOM_ID_PATTERN):
    """Any button of ours. Its action is in its custom id, so it works after a restart."""

    def __init__(self, label: str, custom_id: str) -> None:
        super().__init__(ui.Button(label=label, custom_id=custom_id, style=discord.ButtonStyle.secondary))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: ui.Item[Any], match: Any, /
    ) -> DiscordButton:
        return cls(getattr(item, "label", "") or "·", match.string)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await interaction.client.handle_component(interaction, self.custom_id)
