"""A question that people are asked: their reply."""

from __future__ import annotations

from slack_bolt.context.ack.async_ack import AsyncAck

from adapters.replies import handoff
from adapters.slack.blocks import section, short
from adapters.slack.ephemeral import Context, Presser, honest
from adapters.slack.incoming import Body
from adapters.slack.modal import filled
from adapters.slack.notices import permalink
from adapters.slack.reply import QUIET
from adapters.slack.web import Web
from pipeline import wording
from pipeline.errors import Refused


async def resolved(context: Context, ack: AsyncAck, body: Body) -> None:
    """Close the question; the form stays open where the reply may not be kept."""
    by = Presser(context, body)
    reply, keep = handoff.given(filled(body["view"]))
    words = await by.words(reply)
    name = by.name or words(handoff.COLLEAGUE)
    link = await permalink(context.web, by.channel, by.ts) if keep else ""
    try:
        said = await context.desk.handoffs.resolve(
            by.about, by.places[-1], await by.actor(), name, reply, keep=keep, link=link
        )
    except Refused:
        await ack(response_action="errors", errors={"reply": words(wording.NOT_KEPT)})
        return
    await ack()
    async with honest(by):
        if said != wording.HANDOFF_GONE:
            await _mark(context.web, by.channel, by.ts, words(wording.RESOLVED_BY, who=name))
        await by.say(words(said))


async def _mark(web: Web, channel: str, ts: str, heading: str) -> None:
    """Say in the place of the heading who resolved it, and take the button away."""
    (message, *_) = (await web.call("conversations.replies", channel=channel, ts=ts, limit=1))["messages"]
    shown = [block for block in message.get("blocks") or () if block["type"] != "actions"]
    blocks = [section(f"*✓ {short(heading, 300)}*"), *shown[1:]]
    await web.call("chat.update", channel=channel, ts=ts, text=str(message.get("text") or ""), blocks=blocks, **QUIET)
