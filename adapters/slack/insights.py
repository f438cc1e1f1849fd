"""`/insights`: what was asked and what the documents lack, to admins alone."""

from __future__ import annotations

from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import insights, words
from adapters.slack import private
from adapters.slack.actors import Actors
from adapters.slack.audience import Audiences
from adapters.slack.incoming import Me, person
from adapters.slack.render import line, posts
from adapters.slack.web import Web
from pipeline import wording
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import Desk

log = structlog.get_logger(__name__)


class Insights:
    def __init__(self, web: Web, me: Me, audiences: Audiences, actors: Actors, desk: Desk) -> None:
        self._web = web
        self._me = me
        self._audiences = audiences
        self._actors = actors
        self._desk = desk

    def register(self, app: AsyncApp) -> None:
        app.command("/insights")(self.show)

    async def show(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Visible to whoever asked alone; in the place of the line that says that it is looked up."""
        user, team = str(body["user_id"]), str(body.get("team_id") or self._me.team)
        speech = await self._desk.words(person(self._me.team, user))
        await ack(text=speech(words.LOOKING), response_type="ephemeral")
        try:
            actor = await self._actors.of({"id": user, "team_id": team})
            readers = await self._audiences.of_person(user, str(body["channel_id"]))
            seen = await self._desk.insights(actor, readers, insights.DAYS)
            shown = posts(insights.panel(seen, speech))
        except NotAllowed:
            shown = [line(speech(insights.ADMINS_ONLY))]
        except CitewellError as error:
            log.warning("slack_insights_failed", reason=str(error))
            shown = [line(speech(wording.TRY_AGAIN))]
        await private.show(self._web, str(body["response_url"]), shown[:1], instead=True)
        await private.show(self._web, str(body["response_url"]), shown[1 : private.MOST])
