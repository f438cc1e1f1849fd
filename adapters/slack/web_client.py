"""The Web API: paced calls, lists page by page, and Slack's errors in our words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.chat.messages import NotPosted
from pipeline.errors import Unavailable
from pipeline.translations import TranslatableText, Translator

SDK_LOG = logging.getLogger("slack_sdk.citewell")
"""The logger for the vendor's code, which prints message text below WARNING."""
VISIT_SECONDS = 10.0
"""Seconds that one request may take outside the bot's own run."""

READ_METHODS = frozenset(
    {
        "chat.getPermalink",
        "conversations.history",
        "conversations.info",
        "conversations.members",
        "conversations.replies",
        "files.info",
        "usergroups.list",
        "users.conversations",
        "users.info",
        "users.list",
    }
)
"""Methods that take a query rather than JSON."""
POST_METHOD, RATE_LIMITED, RESPONSE_URL_CALL = "chat.postMessage", "ratelimited", "response_url"
OBSOLETE_ERRORS = frozenset({"message_not_found", "stopped_by_user", "thread_not_found"})
"""Errors by which nobody waits any more: the question is gone, or somebody stopped the answer."""
POST_REFUSALS = {
    "not_in_channel": TranslatableText("I am not a member of it. Invite me with `/invite`."),
    "channel_not_found": TranslatableText("I am not a member of it. Invite me with `/invite`."),
    "is_archived": TranslatableText("it is archived."),
    "restricted_action": TranslatableText("a workspace setting forbids me to post there. Ask an admin."),
    "restricted_action_thread_locked": TranslatableText("its thread is locked."),
    "thread_locked": TranslatableText("its thread is locked."),
    "no_permission": TranslatableText("I have no permission to post there. Ask an admin."),
}
REPLY_REFUSED = TranslatableText("Slack did not take my reply. Please ask me again here.")
NETWORK_ERRORS = (aiohttp.ClientError, TimeoutError, SlackClientError, OSError)
"""Raised when a call did not come back, so that its outcome is unknown. SlackApiError is one: catch it first."""
REVOKED_TOKEN_ERRORS = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})


@dataclass(frozen=True)
class SlackClientTimings:
    """Times in seconds. `message_interval`, `streams_per_minute` and `status_interval` are Slack's limits (platform
    notes, A2, A3), with a margin."""

    message_interval: float = 1.0
    """Between two messages in one channel."""
    streams_per_minute: int = 18
    """`chat.startStream` a minute and workspace; Slack allows about 20."""
    indicator_delay: float = 0.3
    """Seconds that an answer may take before a typing indicator shows."""
    status_interval: float = 90.0
    """Seconds between two statuses; one disappears after 120."""
    stage_interval: float = 3.0
    """Seconds between two statuses, where an answer waits and its place changes."""
    timeout: float = 10.0
    """Seconds of one request. The outcome of a request that was cut off is looked up only after this long."""
    streaming_delay: float = 0.3
    """Seconds that the rest of an answer may take before it is streamed instead of posted at once."""
    history_interval: float = 1.5
    """Seconds before each call of one method, after the first ones, while a history is read: Slack allows 50 a minute,
    and answers need some of them."""
    membership_timeout: float = 2.0
    """Seconds that an answer waits to learn whether guests will read it; then it counts as read by guests."""
    longest_wait: float = 60.0
    """Seconds that a call waits for its turn before it gives up."""


class SlackRefused(NotPosted):
    """Raised when Slack understood the call and refused; `error` is its code. A refused response URL stays refused."""

    def __init__(self, method: str, error: str, needed: str = "") -> None:
        scope = f" (scope {needed} is missing)" if needed else ""
        super().__init__(
            f"Slack declined {method}: {error}{scope}",
            why=self._explain,
            is_obsolete=error in OBSOLETE_ERRORS,
            is_permanent=error in POST_REFUSALS or method == RESPONSE_URL_CALL,
            what_to_do=f"Add the scope {needed} to the Slack app and install it again." if needed else "",
        )
        self.error = error
        self.needed = needed

    def _explain(self, translator: Translator) -> str:
        return translator(POST_REFUSALS.get(self.error, REPLY_REFUSED))


WebClientBuilder = Callable[[str | None], AsyncWebClient]
"""Builder of a client for a token, or for calls without one."""


def web_client_builder(api_url: str, session: aiohttp.ClientSession) -> WebClientBuilder:
    """Return a builder of clients that share the connections of `session`."""
    SDK_LOG.setLevel("WARNING")
    return lambda token: AsyncWebClient(
        token=token, base_url=api_url, session=session, retry_handlers=[], logger=SDK_LOG
    )


@asynccontextmanager
async def temporary_clients(api_url: str) -> AsyncIterator[WebClientBuilder]:
    """Open clients for a short visit."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=VISIT_SECONDS)) as session:
        yield web_client_builder(api_url, session)


class SlackWebClient:
    """The client for every call to Slack. Nothing is retried unless Slack said that it did nothing."""

    def __init__(self, client: AsyncWebClient, timings: SlackClientTimings) -> None:
        self.client = client
        self.timings = timings
        self._turns: dict[str, float] = {}
        self._limited_until: dict[str, float] = {}

    async def call(self, method: str, /, **arguments: Any) -> dict[str, Any]:
        """Call `method` as soon as Slack allows. Raises SlackRefused, and Unavailable when the outcome is unknown or
        the wait too long."""
        latest = asyncio.get_running_loop().time() + self.timings.longest_wait
        answer = None
        while answer is None:
            while wait := self._limited_for(method):
                if asyncio.get_running_loop().time() + wait > latest:
                    raise Unavailable(
                        "Slack", f"{method} is limited", retry_after=wait, what_to_do="Try again in a minute."
                    )
                await asyncio.sleep(wait)
            answer = await self._send(method, arguments)
        return answer

    async def call_now(self, method: str, /, **arguments: Any) -> dict[str, Any]:
        """Call `method` without waiting. Raises SlackRefused with `RATE_LIMITED` when Slack asks to wait, and the
        errors of `call`."""
        answer = None if self._limited_for(method) else await self._send(method, arguments)
        if answer is None:
            raise SlackRefused(method, RATE_LIMITED)
        return answer

    def can_post_now(self, channel: str) -> bool:
        """Return True if the next message in `channel` would hardly have to wait."""
        return self._turn_wait(channel) <= self.timings.message_interval

    async def wait_turn(self, channel: str, *, begun: bool = False) -> None:
        """Wait for the next turn to post in `channel`; turns are given in the order of the calls. Raises Unavailable at
        once when that would take too long, but not for a reply that has `begun`."""
        wait = self._turn_wait(channel)
        if wait > self.timings.longest_wait and not begun:
            raise Unavailable("Slack", "too many messages wait for one channel", retry_after=wait)
        now = asyncio.get_running_loop().time()
        if len(self._turns) > 1000:
            self._turns = {name: at for name, at in self._turns.items() if at > now}
        self._turns[channel] = now + wait + self.timings.message_interval
        await asyncio.sleep(wait)

    async def respond(self, url: str, **message: Any) -> None:
        """Post to a response URL. Raises SlackRefused when it is used up or too old, and Unavailable."""
        hook = AsyncWebhookClient(
            url,
            session=self.client.session,
            timeout=int(self.timings.timeout),
            retry_handlers=[],
            logger=SDK_LOG,
        )
        try:
            response = await hook.send_dict(message)
        except aiohttp.InvalidURL as error:
            raise SlackRefused(RESPONSE_URL_CALL, "no_url") from error
        except NETWORK_ERRORS as error:
            raise Unavailable("Slack", f"a response URL got no response ({type(error).__name__})") from error
        if response.status_code >= 500 or response.status_code == 429:
            raise Unavailable("Slack", f"a response URL failed (HTTP {response.status_code})")
        if response.status_code != 200:
            raise SlackRefused(RESPONSE_URL_CALL, response.body[:50] or str(response.status_code))

    async def upload(self, channel: str, name: str, content: str, thread: str | None = None) -> None:
        """Share a text file, in a thread or not. Raises the errors of `call`."""
        try:
            await self.client.files_upload_v2(
                channel=channel, filename=name, title=name, content=content, thread_ts=thread
            )
        except SlackApiError as error:
            raise _to_error("files.upload", error) from error
        except NETWORK_ERRORS as error:
            raise Unavailable("Slack", f"an upload got no response ({type(error).__name__})") from error

    async def _send(self, method: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Return Slack's response; None when it asks to wait, which `_limited_for` then tells."""
        try:
            sent = {"http_verb": "GET", "params": arguments} if method in READ_METHODS else {"json": arguments}
            response = await self.client.api_call(method, **sent)
        except SlackApiError as error:
            wait = retry_after_seconds(error)
            if wait is None:
                raise _to_error(method, error) from error
            self._limited_until[method] = asyncio.get_running_loop().time() + wait
            return None
        except NETWORK_ERRORS as error:
            raise Unavailable("Slack", f"{method} got no response ({type(error).__name__})") from error
        return dict(response.data) if isinstance(response.data, dict) else {}

    def _limited_for(self, method: str) -> float:
        """Return the seconds that Slack asked us to wait and that are left."""
        return max(0.0, self._limited_until.get(method, 0.0) - asyncio.get_running_loop().time())

    def _turn_wait(self, channel: str) -> float:
        """Return the seconds until the next free turn in `channel`, or until anything may be posted again."""
        turn = self._turns.get(channel, 0.0) - asyncio.get_running_loop().time()
        return max(turn, self._limited_for(POST_METHOD))


def retry_after_seconds(error: SlackApiError) -> float | None:
    """Return the seconds that Slack asks us to wait; None when it does not."""
    response = error.response
    if response.status_code == 429 or slack_error_code(error) == RATE_LIMITED:
        return max(1.0, float(response.headers.get("Retry-After") or 0))
    return None


def slack_error_code(error: SlackApiError) -> str:
    """Return Slack's error code; "" when it gave none."""
    data = error.response.data
    return str(data.get("error") or "") if isinstance(data, dict) else ""


def _to_error(method: str, error: SlackApiError) -> SlackRefused | Unavailable:
    response, code = error.response, slack_error_code(error)
    if not code or response.status_code >= 500 or code in ("internal_error", "fatal_error", "service_unavailable"):
        return Unavailable("Slack", f"{method} failed on Slack's side (HTTP {response.status_code} {code})")
    if code in REVOKED_TOKEN_ERRORS:
        return Unavailable("Slack", f"{method}: {code}")
    return SlackRefused(method, code, str(response.get("needed") or "") if code == "missing_scope" else "")


MAX_SLACK_PAGES = 400
"""Pages of one list that are read at most."""


class CallPacer:
    """Pacer that lets `burst` calls pass, and further ones after `pause` seconds each: Slack counts calls by the
    minute."""

    def __init__(self, burst: int, pause: float) -> None:
        self._left = burst
        self._pause = pause

    async def wait(self) -> None:
        await asyncio.sleep(0.0 if self._left else self._pause)
        self._left = max(0, self._left - 1)


async def paginate_method(
    web: SlackWebClient, method: str, key: str, pacer: CallPacer | None = None, **arguments: Any
) -> AsyncIterator[list[Any]]:
    """Yield every page of the list `key`. Raises the errors of `SlackWebClient.call`, and Unavailable when the pages do
    not end."""
    cursor = ""
    for _ in range(MAX_SLACK_PAGES):
        if pacer:
            await pacer.wait()
        page_arguments = {"cursor": cursor} if cursor else {}
        response = await web.call(method, **arguments, **page_arguments)
        yield response.get(key) or []
        cursor = str((response.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return
    raise Unavailable("Slack", f"{method} has more than {MAX_SLACK_PAGES} pages")
