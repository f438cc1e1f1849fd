"""Translation of Slack's payload of a button, form or command. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from adapters.chat.interactions.context import NO_VALUES, InteractionPayload
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.slack.events.incoming import SlackBot, SlackPayload, person_key
from adapters.slack.rendering.footer import TAKE_BACK_ACTION, parse_vote
from adapters.slack.rendering.modal import parse_form_values
from pipeline.values import ConversationId, Vote, replace

RATE_ACTION = "rate"
_LOCATED = (ReplyButton.ASK, ReplyButton.SUBSCRIBE)
"""Buttons beside an answer that others see, too; they carry where that answer is."""
_ACTION_NAMES: Mapping[str, str] = {
    TAKE_BACK_ACTION: ReplyButton.TAKE_BACK,
    ReplyButton.FORGET: ReplyButton.FORGET_CONFIRMED,
    "/insights": "insights",
}
"""Actions with another name on Slack, and one that Slack itself asks to confirm."""


class SlackInteraction(NamedTuple):
    """An interaction and its place, as Slack names it."""

    payload: InteractionPayload
    user: SlackPayload
    channel: str
    thread: str
    response_url: str
    is_ephemeral: bool
    """True where only the person sees the pressed message."""

    @property
    def user_id(self) -> str:
        return str(self.user["id"])

    @property
    def is_direct(self) -> bool:
        return self.channel.startswith("D")


def parse_interaction(body: SlackPayload, me: SlackBot) -> SlackInteraction:
    """Return the interaction of a payload."""
    user: SlackPayload = body.get("user") or {"id": body.get("user_id"), "team_id": body.get("team_id")}
    container: SlackPayload = body.get("container") or {}
    message: SlackPayload = body.get("message") or {}
    channel = str((body.get("channel") or {"id": body.get("channel_id")}).get("id") or "")
    ts = str(message.get("ts") or container.get("message_ts") or "")
    thread = str(message.get("thread_ts") or container.get("thread_ts") or "")
    is_ephemeral = bool(container.get("is_ephemeral"))
    answer_ts = "" if is_ephemeral else ts
    action, subject_id = _action_and_value(body)
    if form := body.get("type") == "view_submission":
        # `open_form` wrote channel and message before the subject, which may hold blanks itself.
        *place_parts, subject_id = subject_id.split(" ", 2)
        channel, ts = place_parts or ("", "")
    elif action in _LOCATED and " " in subject_id:
        subject_id, thread, answer_ts = subject_id.split(" ")
    conversation = ConversationId(platform="slack", space=me.team, channel=channel, thread=thread or answer_ts)
    payload = InteractionPayload(
        action=action,
        subject_id=subject_id,
        person_id=person_key(me.team, str(user["id"])),
        places=me.places(channel),
        conversation=conversation,
        message=ts,
        answer_message=answer_ts,
        name=str(user.get("name") or user.get("username") or ""),
        external=str(user.get("team_id") or me.team) != me.team,
        form_values=parse_form_values(body["view"]) if form else NO_VALUES,
        subscription_conversation=conversation if answer_ts else None,
    )
    return SlackInteraction(payload, user, channel, thread, str(body.get("response_url") or ""), is_ephemeral)


def _action_and_value(body: SlackPayload) -> tuple[str, str]:
    """Return the action, and what it carries."""
    if body.get("type") == "view_submission":
        return str(body["view"]["callback_id"]), str(body["view"]["private_metadata"])
    element: SlackPayload = (body.get("actions") or ({},))[0]
    name, value = str(element.get("action_id") or ""), str(element.get("value") or "")
    if name == RATE_ACTION:
        vote, answer_id = parse_vote(value)
        return ReplyButton.HELPFUL if vote is Vote.HELPFUL else ReplyButton.UNHELPFUL, answer_id
    name = name or str(body.get("callback_id") or body.get("command") or "")
    return _ACTION_NAMES.get(name, name), value


def with_located_buttons(reply: Reply, interaction: SlackInteraction) -> Reply:
    """Return `reply` with buttons that carry where the answer is, if others see it."""
    answer_ts = interaction.payload.answer_message
    if not answer_ts or not set(reply.buttons) & set(_LOCATED):
        return reply
    location = f"{reply.answer_id} {interaction.payload.conversation.thread} {answer_ts}"
    return replace(reply, answer_id=location)
