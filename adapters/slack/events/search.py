"""Slack's own search on behalf of the asker: the Real-time Search API, whose results may not be stored.

A bot token needs the `action_token` of an event. With the scope `search:read.public` it finds only public channels,
which everyone inside may read: https://docs.slack.dev/reference/methods/assistant.search.context.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import structlog

from adapters.slack.events.channel_messages import SlackChannelMessages
from adapters.slack.web_client import SlackWebClient
from pipeline.errors import CitewellError
from pipeline.values import OFF_RECORD_TAG, ChannelMessage, IncomingMessage, PlaceId

MAX_SEARCH_RESULTS = 10
"""Messages; Slack gives 20 at most, ten times a minute or more."""
SLACK_SEARCH_SECONDS = 4.0

log = structlog.get_logger(__name__)


async def search_messages(
    web: SlackWebClient, talk: SlackChannelMessages, message: IncomingMessage, question: str
) -> tuple[ChannelMessage, ...]:
    """Return the messages found; none where Slack refuses or is too late."""
    if not message.action_token:
        return ()
    try:
        async with asyncio.timeout(SLACK_SEARCH_SECONDS):
            found = await web.call_now(
                "assistant.search.context",
                query=question,
                action_token=message.action_token,
                channel_types="public_channel",
                content_types="messages",
                limit=MAX_SEARCH_RESULTS,
            )
            messages = (found.get("results") or {}).get("messages") or ()
            return tuple([await _said(talk, message, one) for one in messages if _of_people(talk, one, message)])
    except (CitewellError, TimeoutError) as error:
        log.info("slack_search_unanswered", reason=str(error) or "it took too long")
        return ()


def _of_people(talk: SlackChannelMessages, found: dict[str, Any], message: IncomingMessage) -> bool:
    """Return True if a result can be a source: not the question itself, another question to the bot, or a bot's
    message."""
    text = str(found.get("content") or "")
    own = found.get("message_ts") == message.place.message
    left_out = own or talk.is_for_bot(text) or found.get("is_author_bot") or OFF_RECORD_TAG in text.lower()
    return not left_out and bool(text) and bool(found.get("permalink"))


async def _said(talk: SlackChannelMessages, message: IncomingMessage, found: dict[str, Any]) -> ChannelMessage:
    ts, user = str(found["message_ts"]), str(found.get("author_user_id") or "")
    space, channel = message.conversation.space, str(found.get("channel_id") or "")
    return ChannelMessage(
        channel=PlaceId(platform="slack", space=space, channel=channel),
        thread=ts,
        message=ts,
        author=user,
        name=await talk.names.user_name(user) if user else "",
        at=datetime.fromtimestamp(float(ts), UTC),
        text=talk.message_to_text(str(found["content"])),
        url=str(found["permalink"]),
        title=str(found.get("channel_name") or ""),
    )
