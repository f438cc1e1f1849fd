"""Translation of Discord's errors into ours, and retries of requests; the one place for both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import aiohttp
import discord

from adapters.chat.messages import NotPosted
from pipeline.errors import CitewellError, Misconfigured, Refused, Unavailable
from pipeline.translations import TranslatableText, Translator

TRANSIENT_ERRORS = (discord.DiscordServerError, aiohttp.ClientError, OSError, TimeoutError)
"""Errors of requests that may work in a moment. Such a request may have taken effect all the same."""
UNKNOWN_MESSAGE, BAD_FORM, THREAD_ARCHIVED, THREAD_EXISTS, THREAD_LOCKED = 10008, 50035, 50083, 160004, 160005
UNAUTHORIZED, TOO_MANY_REQUESTS, AUTHENTICATION_FAILED = 401, 429, 4004
"""Two HTTP statuses, and a close code of the gateway."""
TOO_MANY, WRONG_SHARDS = 4011, (4010, 4011)
"""Close codes of the gateway: sharding is required; and that, or an invalid shard."""
TOKEN_GONE_CODES = (10008, 10015, 10062, 50027)
"""Codes of a command's private reply that can no longer be reached."""


REPLY_REFUSED = TranslatableText("Discord did not take my reply. Please ask me again here.")
ExplainError = Callable[[discord.HTTPException, Translator], str]
"""Explanation why Discord refused a reply, as the end of a sentence for the asker."""


def _explain_default(error: discord.HTTPException, translator: Translator) -> str:
    return translator(REPLY_REFUSED)


@contextmanager
def translate_discord_errors(
    action: str,
    *,
    why: ExplainError = _explain_default,
    permanent: tuple[type[discord.HTTPException], ...] = (discord.Forbidden,),
) -> Iterator[None]:
    """Translate errors inside the context. Raises Unavailable where it may work later, Misconfigured for a token that
    Discord no longer accepts, and Refused otherwise: NotPosted where Discord refuses, permanent for the errors in
    `permanent`."""
    try:
        yield
    except CitewellError:
        raise
    except discord.RateLimited as error:
        raise Unavailable("Discord", f"asks us to wait before we {action}", retry_after=error.retry_after) from error
    except TRANSIENT_ERRORS as error:
        raise Unavailable("Discord", f"did not let us {action}: {type(error).__name__}") from error
    except discord.HTTPException as error:
        if error.status == UNAUTHORIZED:
            raise _wrong_token() from error
        if error.status == TOO_MANY_REQUESTS:
            raise Unavailable("Discord", "refuses requests for now: there were too many") from error
        forbidden, is_obsolete = isinstance(error, discord.Forbidden), _question_is_gone(error)
        refusal = f"Discord refuses to {action} (HTTP {error.status}, code {error.code})"
        raise NotPosted(
            f"Discord forbids us to {action} (code {error.code})" if forbidden else refusal,
            why=partial(why, error),
            is_obsolete=is_obsolete,
            is_permanent=isinstance(error, permanent),
            retry_plain=error.code == BAD_FORM and not is_obsolete,
            what_to_do=REINVITE_ADVICE if forbidden else "",
        ) from error
    except discord.DiscordException as error:
        raise Refused(f"could not {action}: {type(error).__name__}") from error


REINVITE_ADVICE = "Invite the bot again with the link that `citewell run` prints; channels can take permissions away."


@contextmanager
def translate_gateway_errors() -> Iterator[None]:
    """Translate errors of the gateway inside the context. Raises Misconfigured for a token or an intent that Discord
    refuses, Unavailable for network errors. Any other error is our own fault and stays what it is: the process must not
    go on with it."""
    try:
        yield
    except discord.LoginFailure as error:
        raise _wrong_token() from error
    except discord.PrivilegedIntentsRequired as error:
        raise Misconfigured(
            "CITEWELL_DISCORD_MESSAGE_CONTENT",
            "Discord refuses the message content intent to this application",
            what_to_do="In the Developer Portal, your application > Bot > Privileged Gateway Intents, switch on "
            "“Message Content Intent”; or switch this setting off: then follow-ups need a mention or a reply.",
        ) from error
    except discord.ConnectionClosed as error:
        if error.code in WRONG_SHARDS:
            raise Misconfigured(
                "CITEWELL_DISCORD_SHARDS",
                f"Discord refuses {'one session for so many servers' if error.code == TOO_MANY else 'these shards'}",
                what_to_do="Set it as docs/discord.md says; `citewell doctor` names how many shards Discord wants.",
            ) from error
        if error.code != AUTHENTICATION_FAILED:
            raise
        raise _wrong_token() from error
    except discord.RateLimited as error:
        raise Unavailable("Discord", "asks us to wait before we connect", retry_after=error.retry_after) from error
    except (*TRANSIENT_ERRORS, discord.GatewayNotFound) as error:
        raise Unavailable("Discord", f"the connection ended: {type(error).__name__}") from error
    except discord.HTTPException as error:
        if error.status != TOO_MANY_REQUESTS:
            raise
        raise Unavailable("Discord", "refuses requests for now: there were too many") from error


def _wrong_token() -> Misconfigured:
    return Misconfigured(
        "DISCORD_TOKEN",
        "Discord does not accept this token",
        what_to_do="Copy it anew from the Developer Portal: your application > Bot > Reset Token.",
    )


def _question_is_gone(error: discord.HTTPException) -> bool:
    """Return True if Discord refused a reply because the message it refers to was deleted."""
    return error.code == BAD_FORM and "message_reference" in error.text


T = TypeVar("T")

REQUEST_SECONDS = 32.0
"""Seconds of the longest request, including discord.py's own waits on 429 (30 s) and 5xx (25 s). A lost request has
taken effect within this time or never."""
PATIENCE_SECONDS = 30.0
"""Seconds for which a failing post is retried: well within the two minutes in which Discord remembers a nonce."""


async def retry_while_unreachable(
    call: Callable[[], Awaitable[T]], *, before_retry: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Await `call`, and retry it for half a minute while Discord cannot be reached. For edits and for posts with a
    nonce."""
    clock = asyncio.get_running_loop().time
    until, pause = clock() + PATIENCE_SECONDS, 0.5
    while True:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                return await call()
        except TRANSIENT_ERRORS:
            if clock() + pause > until:
                raise
        await asyncio.sleep(pause)
        pause *= 2
        if before_retry:
            await before_retry()
