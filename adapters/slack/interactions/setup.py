"""Setting up a place from the App Home: a form for admins, whose permission is checked again when it is sent."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.chat.interactions.context import InteractionContext
from adapters.chat.interactions.setup import apply_setup, can_set_up
from adapters.chat.words import setup
from adapters.slack.interactions.context import SlackInteractionContext, SlackInteractionDependencies
from adapters.slack.rendering.blocks import SlackBlock, button_block, context_block, section_block, shorten_label
from pipeline.translations import Translator
from pipeline.values import PlaceId, PlaceSettings

_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
SLACK_SETUP_FIELDS = {name: field for name, field in setup.SETUP_FIELDS.items() if name != "threads"}
"""Settings without `threads`: Slack always answers in threads."""


class SlackSetupForm:
    """The form for a channel or the workspace."""

    def __init__(self, context: SlackInteractionDependencies) -> None:
        self._context = context
        self._services = context.services

    def register(self, app: AsyncApp) -> None:
        app.action("setup_channel")(self.on_open)
        app.action("setup_space")(self.on_open)
        app.view("setup")(self.on_submitted)

    async def blocks(self, interaction: InteractionContext) -> list[SlackBlock]:
        """Return the part of the App Home that admins see."""
        return setup_blocks(await interaction.words()) if await can_set_up(self._services, interaction) else []

    async def on_open(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        context = SlackInteractionContext(self._context, body, ack)
        await context.ensure_acked()
        place = self._context.me.place(str(body["actions"][0].get("selected_conversation") or ""))
        async with context.report_errors():
            if await can_set_up(self._services, context):
                translator = await context.words()
                form = setup.setup_form(
                    str(place), await self._services.places.chat_settings(place), SLACK_SETUP_FIELDS, translator
                )
                await context.open_form(
                    form,
                    settings_blocks(place, await self._services.places.effective_settings(place.chain), translator),
                )

    async def on_submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Store the choices. An error is shown in the form, which stays open."""
        context = SlackInteractionContext(self._context, body, ack)
        choices = setup.parse_setup_form(context.payload.form_values, SLACK_SETUP_FIELDS)
        if _CHANNEL.fullmatch(choices["ask"]):
            choices["ask"] = str(self._context.me.place(choices["ask"]))
        async with context.report_errors():
            await apply_setup(self._services, context, PlaceId.parse(context.payload.subject_id), choices)


def setup_blocks(translator: Translator) -> list[SlackBlock]:
    """Return the blocks that choose what to set up."""
    select = {
        "type": "conversations_select",
        "action_id": "setup_channel",
        "placeholder": {"type": "plain_text", "text": translator(setup.A_CHANNEL)},
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    return [
        {"type": "header", "text": {"type": "plain_text", "text": translator(setup.SETUP_BUTTON)}},
        section_block(translator(setup.SETUP_PRECEDENCE)),
        {
            "type": "actions",
            "elements": [select, button_block(translator(setup.WHOLE_WORKSPACE), "setup_space", "space")],
        },
    ]


def settings_blocks(place: PlaceId, settings: PlaceSettings, translator: Translator) -> list[SlackBlock]:
    """Return the blocks above the form: the place, and its settings in force."""
    title = f"<#{place.channel}>" if place.channel else translator(setup.WHOLE_WORKSPACE)
    summary = shorten_label(" · ".join(setup.setting_lines(settings, translator)), 2_000)
    return [section_block(f"*{title}*"), context_block(translator(setup.CURRENT_SETTINGS, lines=summary))]
