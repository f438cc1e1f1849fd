"""The Web API: one call at a time in its turn, and Slack's errors in our words."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from pipeline.errors import Refused, Unavailable

SDK_LOG = logging.getLogger("slack_sdk.citewell")
"""Handed to the vendor's code, which prints message text below WARNING."""

READS = frozenset({"conversations.info", "conversations.members", "conversations.replies", "users.info", "users.list"})
"""Methods that take a query rather than JSON."""
LOST = (aiohttp.ClientError, TimeoutError, SlackClientError, OSError)
"""Raised when a call did not come back, so that its outcome is not known. SlackApiError is one: catch it first."""
DEAD_TOKEN = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})


@dataclass(frozen=True)
class Pace:
    """Times in seconds. The first three are Slack's own limits (platform notes, A2 and A3), kept with a margin."""

    gap: float = 1.0
    """Between two messages in one channel."""
    streams: int = 18
    """`chat.startStream` a minute and workspace; Slack allows about 20."""
    status: float = 90.0
    """A status disappears after 120 seconds."""
    timeout: float = 10.0
    """Of one request. What came of a request that was cut off is looked up only after this long."""
    patience: float = 0.3
    """How long the rest of an answer may take before it is streamed rather than posted whole."""
    standing: float = 2.0
    """How long an answer waits to learn whether guests will read it; then it counts as read by guests."""
    longest_wait: float = 60.0
    """How long a call waits for its turn before it gives the work back."""


class Declined(Refused):
    """Slack understood the call and said no; `error` is its code."""

    def __init__(self, method: str, error: str, needed: str = "") -> None:
        scope = f" (scope {needed} is missing)" if needed else ""
        super().__init__(
            f"Slack declined {method}: {error}{scope}",
            what_to_do=f"Add the scope {needed} to the Slack app and install it again." if needed else "",
        )
        self.error = error
        self.needed = needed


class Web:
    """Every call to Slack goes through here. Nothing is retried unless Slack said that it did nothing."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self.client = client
        self.pace = pace
        self._turns: dict[str, float] = {}
        self._shut: dict[str, float] = {}

    async def call(self, method: str, /, *, paced: str = "", **arguments: Any) -> dict[str, Any]:
        """Call `method`; with `paced`, not before that channel's turn.

        Raises Declined when Slack says no, and Unavailable when the outcome is not known or the wait too long."""
        await self._turn(paced)
        latest = asyncio.get_running_loop().time() + self.pace.longest_wait
        while True:
            await self._open(method, latest)
            try:
                sent = {"http_verb": "GET", "params": arguments} if method in READS else {"json": arguments}
                response = await self.client.api_call(method, **sent)
            except SlackApiError as error:
                wait = retry_after(error)
                if wait is None:
                    raise _declined(method, error) from error
                self._shut[method] = asyncio.get_running_loop().time() + wait
            except LOST as error:
                raise Unavailable("Slack", f"{method} did not come back ({type(error).__name__})") from error
            else:
                return dict(response.data) if isinstance(response.data, dict) else {}

    async def respond(self, url: str, **message: Any) -> None:
        """Post to a response URL. Raises Declined when it is used up or too old, Unavailable as `call`."""
        hook = AsyncWebhookClient(
            url,
            session=self.client.session,
            timeout=int(self.pace.timeout),
            retry_handlers=[],
            logger=SDK_LOG,
        )
        try:
            response = await hook.send_dict(message)
        except LOST as error:
            raise Unavailable("Slack", f"a response URL did not come back ({type(error).__name__})") from error
        if response.status_code != 200:
            raise Declined("response_url", response.body[:50] or str(response.status_code))

    async def upload(self, channel: str, name: str, content: str) -> None:
        """Share a text file. Raises as `call`."""
        try:
            await self.client.files_upload_v2(channel=channel, filename=name, title=name, content=content)
        except SlackApiError as error:
            raise _declined("files.upload", error) from error
        except LOST as error:
            raise Unavailable("Slack", f"an upload did not come back ({type(error).__name__})") from error

    async def _turn(self, channel: str) -> None:
        """Take the channel's next turn; turns are given in the order they are asked for."""
        if not channel:
            return
        now = asyncio.get_running_loop().time()
        if len(self._turns) > 1000:
            self._turns = {name: at for name, at in self._turns.items() if at > now}
        turn = max(now, self._turns.get(channel, 0.0))
        if turn - now > self.pace.longest_wait:
            raise Unavailable("Slack", "too many messages wait for one channel", retry_after=turn - now)
        self._turns[channel] = turn + self.pace.gap
        await asyncio.sleep(turn - now)

    async def _open(self, method: str, latest: float) -> None:
        """Wait until the time Slack asked for has passed, so that nothing is sent in between."""
        while (until := self._shut.get(method, 0.0)) > (now := asyncio.get_running_loop().time()):
            if until > latest:
                raise Unavailable("Slack", f"{method} is limited", retry_after=until - now)
            await asyncio.sleep(until - now)


def retry_after(error: SlackApiError) -> float | None:
    """How many seconds Slack asks us to wait; None when it does not."""
    response = error.response
    if response.status_code == 429 or error_code(error) == "ratelimited":
        return float(response.headers.get("Retry-After") or 1)
    return None


def error_code(error: SlackApiError) -> str:
    """Slack's word for what is wrong; "" when it gave none."""
    data = error.response.data
    return str(data.get("error") or "") if isinstance(data, dict) else ""


def _declined(method: str, error: SlackApiError) -> Declined | Unavailable:
    response, code = error.response, error_code(error)
    if not code or response.status_code >= 500 or code in ("internal_error", "fatal_error", "service_unavailable"):
        return Unavailable("Slack", f"{method} failed on Slack's side (HTTP {response.status_code} {code})")
    if code in DEAD_TOKEN:
        return Unavailable("Slack", f"{method}: {code}", permanent=True)
    return Declined(method, code, str(response.get("needed") or "") if code == "missing_scope" else "")
