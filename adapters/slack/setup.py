"""Setting up a place from the App Home: a form for the admins, checked again when it is sent."""

from __future__ import annotations

import re
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import cut, setup
from adapters.slack.actors import Actors
from adapters.slack.blocks import Block, button, context, section, short
from adapters.slack.incoming import Me, person
from adapters.slack.modal import filled, view
from adapters.slack.web import Web
from pipeline import wording
from pipeline.errors import CitewellError, NotAllowed, WrongSetting
from pipeline.ports import Desk
from pipeline.translations import Words
from pipeline.values import Action, Place, PlaceId

log = structlog.get_logger(__name__)

_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
FIELDS = {name: field for name, field in setup.FIELDS.items() if name != "threads"}
"""Slack answers in threads."""


class Setup:
    """Opens the form for a channel or the workspace, and sets what is sent."""

    def __init__(self, web: Web, me: Me, actors: Actors, desk: Desk) -> None:
        self._web = web
        self._me = me
        self._actors = actors
        self._desk = desk

    def register(self, app: AsyncApp) -> None:
        app.action("setup_channel")(self.open)
        app.action("setup_space")(self.open)
        app.view("setup")(self.submitted)

    async def blocks(self, user: str) -> list[Block]:
        """The part of the Home that admins see."""
        actor = await self._actors.of({"id": user})
        return offer(await self._words(user)) if self._desk.authority.allows(actor, Action.SET_UP) else []

    async def open(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        channel = str(body["actions"][0].get("selected_conversation") or "")
        place = self._me.place(channel)
        try:
            if self._desk.authority.allows(await self._actors.of(body["user"]), Action.SET_UP):
                words = await self._words(str(body["user"]["id"]))
                form = setup.form(str(place), await self._desk.places.set_here(place), FIELDS, words)
                above = holds(place, await self._desk.places.of(place.chain), words)
                await self._web.call("views.open", trigger_id=body["trigger_id"], view=view(form, above))
        except CitewellError as error:
            log.warning("slack_setup_not_shown", reason=str(error))

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Set what was chosen; what is wrong is said in the form, which stays open."""
        place = PlaceId.parse(str(body["view"]["private_metadata"]))
        words = await self._words(str(body["user"]["id"]))
        choices = setup.given(filled(body["view"]), FIELDS)
        if _CHANNEL.fullmatch(choices["ask"]):
            choices["ask"] = str(self._me.place(choices["ask"]))
        try:
            await self._desk.places.set_up(await self._actors.of(body["user"]), place, choices)
        except NotAllowed:
            await ack(response_action="errors", errors={"auto": words(setup.ADMINS_ONLY)})
        except WrongSetting as error:
            await ack(response_action="errors", errors={error.name: cut.short(setup.refusal(error, words), 150)})
        except CitewellError as error:
            log.warning("slack_setup_failed", reason=str(error))
            await ack(response_action="errors", errors={"auto": words(wording.TRY_AGAIN)})
        else:
            await ack()

    async def _words(self, user: str) -> Words:
        return await self._desk.words(person(self._me.team, user))


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
