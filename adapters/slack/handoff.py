"""Asking a person: the button under an answer, and the form with which the question is resolved."""

from __future__ import annotations

import json
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import handoff
from adapters.slack import private
from adapters.slack.actors import Actors
from adapters.slack.audience import Audiences
from adapters.slack.blocks import Block, button, section, short
from adapters.slack.incoming import Body, Me, person
from adapters.slack.modal import filled, view
from adapters.slack.notices import permalink
from adapters.slack.render import line
from adapters.slack.reply import QUIET
from adapters.slack.web import Web
from pipeline import wording
from pipeline.errors import CitewellError, Refused
from pipeline.ports import Desk
from pipeline.translations import Words
from pipeline.values import ConversationId, Place

log = structlog.get_logger(__name__)


class Handoffs:
    def __init__(self, web: Web, me: Me, audiences: Audiences, actors: Actors, desk: Desk) -> None:
        self._web = web
        self._me = me
        self._audiences = audiences
        self._actors = actors
        self._desk = desk

    def register(self, app: AsyncApp) -> None:
        app.action("ask")(self.ask)
        app.action("resolve")(self.open)
        app.view(handoff.RESOLVED)(self.resolved)

    async def ask(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Pass the question on; whoever pressed hears of the reply where they pressed."""
        await ack()
        channel, user = str(body["channel"]["id"]), str(body["user"]["id"])
        answer_id, thread, ts = _asked(body)
        try:
            said = await self._desk.hand_over(
                answer_id,
                person(self._me.team, user),
                await self._audiences.of_person(user, channel),
                self._me.places(channel),
                ConversationId(platform="slack", space=self._me.team, channel=channel, thread=thread),
                ts,
                private=not ts,
            )
        except CitewellError as error:
            log.warning("slack_question_not_passed_on", reason=str(error))
            said = (await self._desk.words(person(self._me.team, user)))(wording.TRY_AGAIN)
        await self._tell(body, said)

    async def open(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """The form for the reply."""
        await ack()
        channel = str(body["channel"]["id"])
        try:
            keep = await self._desk.handoffs.may_keep(await self._actors.of(body["user"]), self._me.place(channel))
            about = {"handoff": str(body["actions"][0]["value"]), "channel": channel, "ts": str(body["message"]["ts"])}
            words = await self._desk.words(person(self._me.team, str(body["user"]["id"])))
            form = handoff.form(json.dumps(about), words, keep=keep)
            await self._web.call("views.open", trigger_id=body["trigger_id"], view=view(form))
        except CitewellError as error:
            log.warning("slack_reply_form_not_shown", reason=str(error))

    async def resolved(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Close the question; the form stays open where the reply may not be kept."""
        sent, user = body["view"], body["user"]
        about = json.loads(sent["private_metadata"])
        channel, ts = str(about["channel"]), str(about["ts"])
        reply, keep = handoff.given(filled(sent))
        words = await self._desk.words(person(self._me.team, str(user["id"])), text=reply)
        name = str(user.get("name") or user.get("username") or words(handoff.COLLEAGUE))
        try:
            said = await self._desk.handoffs.resolve(
                str(about["handoff"]),
                self._me.place(channel),
                await self._actors.of(user),
                name,
                reply,
                keep=keep,
                link=await permalink(self._web, channel, ts) if keep else "",
            )
        except Refused:
            await ack(response_action="errors", errors={"reply": words(wording.NOT_KEPT)})
            return
        await ack()
        try:
            if said != wording.HANDOFF_GONE:
                await self._mark(channel, ts, words(wording.RESOLVED_BY, who=name))
            told = {"channel": channel, "user": str(user["id"]), "text": words(said)}
            await self._web.call("chat.postEphemeral", **told, parse="none")
        except CitewellError as error:
            log.warning("slack_resolution_not_shown", reason=str(error))

    async def _mark(self, channel: str, ts: str, heading: str) -> None:
        """Say in the place of the heading who resolved it, and take the button away."""
        (message, *_) = (await self._web.call("conversations.replies", channel=channel, ts=ts, limit=1))["messages"]
        shown = [block for block in message.get("blocks") or () if block["type"] != "actions"]
        blocks = [section(f"*✓ {short(heading, 300)}*"), *shown[1:]]
        text = str(message.get("text") or "")
        await self._web.call("chat.update", channel=channel, ts=ts, text=text, blocks=blocks, **QUIET)

    async def _tell(self, body: Body, text: str) -> None:
        try:
            await private.show(self._web, str(body["response_url"]), [line(text)])
        except CitewellError as error:
            log.warning("slack_not_told", reason=str(error))


def offer(place: Place, words: Words, answer_id: str, thread: str, ts: str) -> Block:
    """The button beside an answer, which stands in `thread` as `ts` or is private."""
    label = wording.ask_button(place.ask_name or "", words)
    return {"type": "actions", "elements": [button(label, "ask", f"{answer_id} {thread} {ts}".strip())]}


def _asked(body: Body) -> tuple[str, str, str]:
    """The answer, its thread and its ts; the ts is empty where only its asker saw it."""
    value, *where = str(body["actions"][0]["value"]).split()
    container, message = body.get("container") or {}, body.get("message") or {}
    if where:
        return value, where[0], where[1]
    if container.get("is_ephemeral"):
        return value, "", ""
    ts = str(message.get("ts") or container.get("message_ts"))
    return value, str(message.get("thread_ts") or ts), ts
