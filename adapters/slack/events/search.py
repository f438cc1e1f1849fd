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
    web: SlackWebClient, channel_messages: SlackChannelMessages, message: IncomingMessage, question: str
) -> tuple[ChannelMessage, ...]:
    """Return the messages found; none where Slack refuses or is too late."""
    if not message.action_token:
        return ()
    try:
        async with asyncio.timeout(SLACK_SEARCH_SECONDS):
            response = await web.call_now(
                "assistant.search.context",
                query=question,
                action_token=message.action_token,
                channel_types="public_channel",
                content_types="messages",
                limit=MAX_SEARCH_RESULTS,
            )
            messages = (response.get("results") or {}).get("messages") or ()
            return tuple(
                [
                    await _parse_result(channel_messages, message, result)
                    for result in messages
                    if _is_source(channel_messages, result, message)
                ]
            )
    except (CitewellError, TimeoutError) as error:
        log.info("slack_search_failed", reason=str(error) or "it took too long")
        return ()


def _is_source(channel_messages: SlackChannelMessages, result: dict[str, Any], message: IncomingMessage) -> bool:
    """Return True if a result can be a source: not the question itself, another question to the bot, or a bot's
    message."""
    text = str(result.get("content") or "")
    is_question = result.get("message_ts") == message.place.message
    is_excluded = (
        is_question
        or channel_messages.is_for_bot(text)
        or result.get("is_author_bot")
        or OFF_RECORD_TAG in text.lower()
    )
    return not is_excluded and bool(text) and bool(result.get("permalink"))


async def _parse_result(
    channel_messages: SlackChannelMessages, message: IncomingMessage, result: dict[str, Any]
) -> ChannelMessage:
    ts, user = str(result["message_ts"]), str(result.get("author_user_id") or "")
    space, channel = message.conversation.space, str(result.get("channel_id") or "")
    return ChannelMessage(
        channel=PlaceId(platform="slack", space=space, channel=channel),
        thread=ts,
        message=ts,
        author=user,
        name=await channel_messages.names.user_name(user) if user else "",
        at=datetime.fromtimestamp(float(ts), UTC),
        text=channel_messages.message_to_text(str(result["content"])),
        url=str(result["permalink"]),
        title=str(result.get("channel_name") or ""),
    )
