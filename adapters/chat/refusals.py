"""What follows when a platform does not take a reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from pipeline.translations import Message
from pipeline.values import Work

NO_REPLY = Message("I could not answer you in {channel}: {why}")
"""Told to the asker alone."""

log = structlog.get_logger(__name__)


async def settled(
    work: Work, reason: str, *, over: bool, hopeless: bool, alone: bool, explain: Callable[[], Awaitable[None]]
) -> bool:
    """Whether nothing is left to be done; else it is to be tried again.

    `over`: nobody waits for it any more. `hopeless`: another try ends the same. `alone`: it goes to the asker alone,
    who can be told nowhere else; among people `explain` tells them. What nobody asks for now is not missed."""
    if over:
        log.info("reply_ends", key=work.key, reason=reason)
    elif hopeless and work.message.manner.unannounced:
        log.info("unasked_reply_refused", key=work.key, reason=reason)
    elif hopeless and not alone:
        log.warning("reply_refused", key=work.key, reason=reason)
        await explain()
    else:
        return False
    return True
