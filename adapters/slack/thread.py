"""All that people said in a thread, read when it is to be summed up."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from adapters.slack.events.talk import SlackTalk
from adapters.slack.web import Declined
from pipeline.values import IncomingMessage, Said

log = structlog.get_logger(__name__)


async def thread(talk: SlackTalk, message: IncomingMessage) -> Sequence[Said] | None:
    """Above `message`; None where it is in no thread, nothing where Slack does not let us read it. Raises
    Unavailable."""
    conversation, until = message.conversation, message.place.message
    if conversation.thread == until:
        return None
    try:
        return await talk.thread(conversation.channel, conversation.thread, until)
    except Declined as declined:
        log.warning("slack_thread_unread", reason=str(declined))
        return ()
