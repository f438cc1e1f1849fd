"""Discord's errors as ours: the one place where they are translated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import aiohttp
import discord

from pipeline.errors import CitewellError, Misconfigured, Refused, Unavailable

T = TypeVar("T")

TRANSIENT = (discord.DiscordServerError, aiohttp.ClientError, OSError, TimeoutError)
"""What may work in a moment. A request may have taken effect all the same."""
UNKNOWN_MESSAGE, BAD_FORM, THREAD_ARCHIVED, THREAD_EXISTS = 10008, 50035, 50083, 160004
TOKEN_GONE = (10008, 10015, 10062, 50027)
"""The private reply of a command can no longer be reached."""


@contextmanager
def translated(action: str) -> Iterator[None]:
    """Raises Unavailable for what may work later and Refused for what Discord will not let us do."""
    try:
        yield
    except CitewellError:
        raise
    except discord.RateLimited as error:
        raise Unavailable("Discord", f"asks us to wait before we {action}", retry_after=error.retry_after) from error
    except TRANSIENT as error:
        raise Unavailable("Discord", f"did not let us {action}: {type(error).__name__}") from error
    except discord.Forbidden as error:
        raise Refused(f"Discord forbids us to {action} (code {error.code})", what_to_do=PERMISSIONS) from error
    except discord.DiscordException as error:
        raise Unavailable("Discord", f"could not {action}: {type(error).__name__}", permanent=True) from error


PERMISSIONS = "Invite the bot again with the link that `citewell run` prints; channels can take permissions away."


def at_login(error: BaseException) -> CitewellError:
    """Why listening ended, in words that name what to do."""
    if isinstance(error, CitewellError):
        return error
    if isinstance(error, discord.LoginFailure):
        return Misconfigured(
            "DISCORD_TOKEN",
            "Discord does not accept this token",
            what_to_do="Copy it anew from the Developer Portal: your application > Bot > Reset Token.",
        )
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return Misconfigured(
            "CITEWELL_DISCORD_MESSAGE_CONTENT",
            "Discord refuses the message content intent to this application",
            what_to_do="In the Developer Portal, your application > Bot > Privileged Gateway Intents, switch on "
            "“Message Content Intent”; or switch this setting off: then follow-ups need a mention or a reply.",
        )
    return Unavailable("Discord", f"the connection ended: {type(error).__name__}")


def is_code(error: discord.HTTPException, *codes: int) -> bool:
    return error.code in codes


def question_is_gone(error: discord.HTTPException) -> bool:
    """Discord refused a reply because the message it refers to was deleted."""
    return error.code == BAD_FORM and "message_reference" in error.text


async def unless(call: Callable[[], Awaitable[T]], *codes: int) -> T | None:
    """What `call` gives, or None when Discord answers with one of `codes`."""
    try:
        return await call()
    except discord.HTTPException as error:
        if error.code in codes:
            return None
        raise
