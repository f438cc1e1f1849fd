"""Setting up a place from the App Home: a form for the admins, checked again when it is sent."""

from __future__ import annotations

import re
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import cut, setup
from adapters.slack.blocks import Block, button, context, section, short
from adapters.slack.ephemeral import Context, Presser, honest
from adapters.slack.modal import filled
from pipeline import wording
from pipeline.errors import CitewellError, NotAllowed, WrongSetting
from pipeline.translations import Words
from pipeline.values import Action, Place, PlaceId

log = structlog.get_logger(__name__)

_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
FIELDS = {name: field for name, field in setup.FIELDS.items() if name != "threads"}
"""Slack answers in threads."""


class Setup:
    """Opens the form for a channel or the workspace, and sets what is sent."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._desk = context.desk

    def register(self, app: AsyncApp) -> None:
        app.action("setup_channel")(self.open)
        app.action("setup_space")(self.open)
        app.view("setup")(self.submitted)

    async def blocks(self, by: Presser) -> list[Block]:
        """The part of the Home that admins see."""
        return offer(await by.words()) if self._desk.authority.allows(await by.actor(), Action.SET_UP) else []

    async def open(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        by = Presser(self._context, body)
        place = self._context.me.place(str(body["actions"][0].get("selected_conversation") or ""))
        async with honest(by):
            if self._desk.authority.allows(await by.actor(), Action.SET_UP):
                words = await by.words()
                form = setup.form(str(place), await self._desk.places.set_here(place), FIELDS, words)
                above = holds(place, await self._desk.places.of(place.chain), words)
                await by.open(form, above)

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Set what was chosen; what is wrong is said in the form, which stays open."""
        by = Presser(self._context, body)
        place = PlaceId.parse(by.about)
        words = await by.words()
        choices = setup.given(filled(body["view"]), FIELDS)
        if _CHANNEL.fullmatch(choices["ask"]):
            choices["ask"] = str(self._context.me.place(choices["ask"]))
        try:
            await self._desk.places.set_up(await by.actor(), place, choices)
        except NotAllowed:
            await ack(response_action="errors", errors={"auto": words(setup.ADMINS_ONLY)})
        except WrongSetting as error:
            await ack(response_action="errors", errors={error.name: cut.short(setup.refusal(error, words), 150)})
        except CitewellError as error:
            log.warning("slack_setup_failed", reason=str(error))
            await ack(response_action="errors", errors={"auto": words(wording.TRY_AGAIN)})
        else:
            await ack()


def offer(words: Words) -> list[Block]:
    """Choose what to set up."""
    select = {
        "type": "conversations_select",
        "action_id": "setup_channel",
        "placeholder": {"type": "plain_text", "text": words(setup.A_CHANNEL)},
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    return [
        {"type": "header", "text": {"type": "plain_text", "text": words(setup.SET_UP)}},
        section(words(setup.EXPLAINED)),
        {"type": "actions", "elements": [select, button(words(setup.WHOLE_WORKSPACE), "setup_space", "space")]},
    ]


def holds(place: PlaceId, now: Place, words: Words) -> list[Block]:
    """What stands above the form: where it is about, and what holds there."""
    where = f"<#{place.channel}>" if place.channel else words(setup.WHOLE_WORKSPACE)
    told = short(" · ".join(setup.lines(now, words)), 2_000)
    return [section(f"*{where}*"), context(words(setup.NOW, lines=told))]
