"""The Web API: one call at a time in its turn, lists page by page, and Slack's errors in our words."""

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
from pipeline.translations import Message, Words

SDK_LOG = logging.getLogger("slack_sdk.citewell")
"""Handed to the vendor's code, which prints message text below WARNING."""
VISIT_SECONDS = 10.0
"""How long one request may take outside the bot's own run."""

READS = frozenset(
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
POST, LIMITED, RESPONSE = "chat.postMessage", "ratelimited", "response_url"
OVER = frozenset({"message_not_found", "stopped_by_user", "thread_not_found"})
"""The question is gone, or somebody stopped the answer."""
CANNOT_POST = {
    "not_in_channel": Message("I am not a member of it. Invite me with `/invite`."),
    "channel_not_found": Message("I am not a member of it. Invite me with `/invite`."),
    "is_archived": Message("it is archived."),
    "restricted_action": Message("a workspace setting forbids me to post there. Ask an admin."),
    "restricted_action_thread_locked": Message("its thread is locked."),
    "thread_locked": Message("its thread is locked."),
    "no_permission": Message("I have no permission to post there. Ask an admin."),
}
REFUSED = Message("Slack did not take my reply. Please ask me again here.")
LOST = (aiohttp.ClientError, TimeoutError, SlackClientError, OSError)
"""Raised when a call did not come back, so that its outcome is not known. SlackApiError is one: catch it first."""
DEAD_TOKEN = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})


@dataclass(frozen=True)
class SlackPace:
    """Times in seconds. `gap`, `streams` and `status` are Slack's limits (platform notes, A2, A3), with a margin."""

    gap: float = 1.0
    """Between two messages in one channel."""
    streams: int = 18
    """`chat.startStream` a minute and workspace; Slack allows about 20."""
    sign: float = 0.3
    """How long an answer may take before anything shows that it is being worked on."""
    status: float = 90.0
    """A status disappears after 120 seconds."""
    timeout: float = 10.0
    """Of one request. What came of a request that was cut off is looked up only after this long."""
    patience: float = 0.3
    """How long the rest of an answer may take before it is streamed rather than posted whole."""
    reading: float = 1.5
    """Seconds before each call of one method, after the first ones, while a history is read: Slack allows 50 a minute,
    and answers need some of them."""
    standing: float = 2.0
    """How long an answer waits to learn whether guests will read it; then it counts as read by guests."""
    longest_wait: float = 60.0
    """How long a call waits for its turn before it gives the work back."""


class Declined(NotPosted):
    """Slack understood the call and said no; `error` is its code. A response URL that is good no more stays so."""

    def __init__(self, method: str, error: str, needed: str = "") -> None:
        scope = f" (scope {needed} is missing)" if needed else ""
        super().__init__(
            f"Slack declined {method}: {error}{scope}",
            why=self._why,
            over=error in OVER,
            hopeless=error in CANNOT_POST or method == RESPONSE,
            what_to_do=f"Add the scope {needed} to the Slack app and install it again." if needed else "",
        )
        self.error = error
        self.needed = needed

    def _why(self, words: Words) -> str:
        return words(CANNOT_POST.get(self.error, REFUSED))


Clients = Callable[[str | None], AsyncWebClient]
"""One for each token, or for calls without one."""


def clients(api_url: str, session: aiohttp.ClientSession) -> Clients:
    """Those that share the connections of `session`."""
    SDK_LOG.setLevel("WARNING")
    return lambda token: AsyncWebClient(
        token=token, base_url=api_url, session=session, retry_handlers=[], logger=SDK_LOG
    )


@asynccontextmanager
async def passing(api_url: str) -> AsyncIterator[Clients]:
    """Clients for a short visit."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=VISIT_SECONDS)) as session:
        yield clients(api_url, session)


class Web:
    """Every call to Slack goes through here. Nothing is retried unless Slack said that it did nothing."""

    def __init__(self, client: AsyncWebClient, pace: SlackPace) -> None:
        self.client = client
        self.pace = pace
        self._turns: dict[str, float] = {}
        self._shut: dict[str, float] = {}

    async def call(self, method: str, /, **arguments: Any) -> dict[str, Any]:
        """Call `method`, as soon as Slack lets us.

        Raises Declined when Slack says no, and Unavailable when the outcome is not known or the wait too long."""
        latest = asyncio.get_running_loop().time() + self.pace.longest_wait
        answer = None
        while answer is None:
            while wait := self._shut_for(method):
                if asyncio.get_running_loop().time() + wait > latest:
                    raise Unavailable(
                        "Slack", f"{method} is limited", retry_after=wait, what_to_do="Try again in a minute."
                    )
                await asyncio.sleep(wait)
            answer = await self._send(method, arguments)
        return answer

    async def now(self, method: str, /, **arguments: Any) -> dict[str, Any]:
        """The same without any wait: Declined with `LIMITED` when Slack wants us to."""
        answer = None if self._shut_for(method) else await self._send(method, arguments)
        if answer is None:
            raise Declined(method, LIMITED)
        return answer

    def free(self, channel: str) -> bool:
        """Whether the next message in `channel` would hardly have to wait."""
        return self._wait(channel) <= self.pace.gap

    async def turn(self, channel: str, *, begun: bool = False) -> None:
        """Wait for the next turn to post in `channel`; turns are given in the order they are asked for.

        Raises Unavailable at once when that would take too long, but not for a reply that has `begun`."""
        wait = self._wait(channel)
        if wait > self.pace.longest_wait and not begun:
            raise Unavailable("Slack", "too many messages wait for one channel", retry_after=wait)
        now = asyncio.get_running_loop().time()
        if len(self._turns) > 1000:
            self._turns = {name: at for name, at in self._turns.items() if at > now}
        self._turns[channel] = now + wait + self.pace.gap
        await asyncio.sleep(wait)

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
        except aiohttp.InvalidURL as error:
            raise Declined(RESPONSE, "no_url") from error
        except LOST as error:
            raise Unavailable("Slack", f"a response URL did not come back ({type(error).__name__})") from error
        if response.status_code >= 500 or response.status_code == 429:
            raise Unavailable("Slack", f"a response URL failed (HTTP {response.status_code})")
        if response.status_code != 200:
            raise Declined(RESPONSE, response.body[:50] or str(response.status_code))

    async def upload(self, channel: str, name: str, content: str, thread: str | None = None) -> None:
        """Share a text file, in a thread or not. Raises as `call`."""
        try:
            await self.client.files_upload_v2(
                channel=channel, filename=name, title=name, content=content, thread_ts=thread
            )
        except SlackApiError as error:
            raise _declined("files.upload", error) from error
        except LOST as error:
            raise Unavailable("Slack", f"an upload did not come back ({type(error).__name__})") from error

    async def _send(self, method: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """What Slack answers; None when it wants us to wait, for so long that `_shut_for` tells."""
        try:
            sent = {"http_verb": "GET", "params": arguments} if method in READS else {"json": arguments}
            response = await self.client.api_call(method, **sent)
        except SlackApiError as error:
            wait = retry_after(error)
            if wait is None:
                raise _declined(method, error) from error
            self._shut[method] = asyncio.get_running_loop().time() + wait
            return None
        except LOST as error:
            raise Unavailable("Slack", f"{method} did not come back ({type(error).__name__})") from error
        return dict(response.data) if isinstance(response.data, dict) else {}

    def _shut_for(self, method: str) -> float:
        """Seconds that Slack still wants us to wait, so that nothing is sent in between."""
        return max(0.0, self._shut.get(method, 0.0) - asyncio.get_running_loop().time())

    def _wait(self, channel: str) -> float:
        """Seconds until the next free turn in `channel`, or until anything may be posted again."""
        turn = self._turns.get(channel, 0.0) - asyncio.get_running_loop().time()
        return max(turn, self._shut_for(POST))


def retry_after(error: SlackApiError) -> float | None:
    """How many seconds Slack asks us to wait; None when it does not."""
    response = error.response
    if response.status_code == 429 or error_code(error) == LIMITED:
        return max(1.0, float(response.headers.get("Retry-After") or 0))
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
        return Unavailable("Slack", f"{method}: {code}")
    return Declined(method, code, str(response.get("needed") or "") if code == "missing_scope" else "")


PAGES = 400
"""Of one list at most."""


class Pacer:
    """Lets `burst` calls pass, and further ones after `pause` seconds each: Slack counts calls by the minute."""

    def __init__(self, burst: int, pause: float) -> None:
        self._left = burst
        self._pause = pause

    async def wait(self) -> None:
        await asyncio.sleep(0.0 if self._left else self._pause)
        self._left = max(0, self._left - 1)


async def pages(
    web: Web, method: str, what: str, pacer: Pacer | None = None, **arguments: Any
) -> AsyncIterator[list[Any]]:
    """Every page of the list `what`. Raises as `Web.call`, and Unavailable when there is no end to them."""
    cursor = ""
    for _ in range(PAGES):
        if pacer:
            await pacer.wait()
        more = {"cursor": cursor} if cursor else {}
        found = await web.call(method, **arguments, **more)
        yield found.get(what) or []
        cursor = str((found.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return
    raise Unavailable("Slack", f"{method} has more than {PAGES} pages")
