"""What Slack sends of a press, a form or a command -> what was pressed, where. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from adapters.chat.press.presser import EMPTY, Pressed
from adapters.chat.reply.parts import Button, Reply
from adapters.slack.events.incoming import Body, Me, person
from adapters.slack.parts.footer import TAKE_BACK, voted
from adapters.slack.parts.modal import filled
from pipeline.values import ConversationId, Vote, replace

RATE = "rate"
_CARRIED = (Button.ASK, Button.TELL)
"""Pressed beside an answer that others see, too, these say where that is."""
_NAMED: Mapping[str, str] = {TAKE_BACK: Button.TAKE_BACK, Button.FORGET: Button.FORGET_NOW, "/insights": "insights"}
"""What Slack asks by itself whether they are sure of, and what has another name there."""


class SlackPress(NamedTuple):
    """Where it was pressed, as Slack names it."""

    pressed: Pressed
    user: Body
    channel: str
    thread: str
    response_url: str
    alone: bool
    """They alone see the message that was pressed."""

    @property
    def user_id(self) -> str:
        return str(self.user["id"])

    @property
    def direct(self) -> bool:
        return self.channel.startswith("D")


def read(body: Body, me: Me) -> SlackPress:
    """Whatever was pressed, sent or chosen."""
    user: Body = body.get("user") or {"id": body.get("user_id"), "team_id": body.get("team_id")}
    container: Body = body.get("container") or {}
    message: Body = body.get("message") or {}
    channel = str((body.get("channel") or {"id": body.get("channel_id")}).get("id") or "")
    ts = str(message.get("ts") or container.get("message_ts") or "")
    thread = str(message.get("thread_ts") or container.get("thread_ts") or "")
    alone = bool(container.get("is_ephemeral"))
    below = "" if alone else ts
    action, about = _named(body)
    if form := body.get("type") == "view_submission":
        *where, about = about.split(" ", 2)
        channel, ts = where or ("", "")
    elif action in _CARRIED and " " in about:
        about, thread, below = about.split(" ")
    there = ConversationId(platform="slack", space=me.team, channel=channel, thread=thread or below)
    pressed = Pressed(
        action=action,
        about=about,
        person=person(me.team, str(user["id"])),
        places=me.places(channel),
        conversation=there,
        message=ts,
        below=below,
        name=str(user.get("name") or user.get("username") or ""),
        external=str(user.get("team_id") or me.team) != me.team,
        filled=filled(body["view"]) if form else EMPTY,
        told_in=there if below else None,
    )
    return SlackPress(pressed, user, channel, thread, str(body.get("response_url") or ""), alone)


def _named(body: Body) -> tuple[str, str]:
    """The action, and what it carries."""
    if body.get("type") == "view_submission":
        return str(body["view"]["callback_id"]), str(body["view"]["private_metadata"])
    pressed: Body = (body.get("actions") or ({},))[0]
    name, value = str(pressed.get("action_id") or ""), str(pressed.get("value") or "")
    if name == RATE:
        vote, answer_id = voted(value)
        return Button.HELPFUL if vote is Vote.HELPFUL else Button.UNHELPFUL, answer_id
    name = name or str(body.get("callback_id") or body.get("command") or "")
    return _NAMED.get(name, name), value


def carried(reply: Reply, spot: SlackPress) -> Reply:
    """`reply` with buttons that say where the answer is, if others see it."""
    below = spot.pressed.below
    if not below or not set(reply.actions) & set(_CARRIED):
        return reply
    about = f"{reply.answer_id} {spot.pressed.conversation.thread} {below}"
    return replace(reply, answer_id=about)
