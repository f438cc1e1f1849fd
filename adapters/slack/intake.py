"""What Slack sends is in the inbox before Slack is told that we have it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.slack.incoming import Addressed, Deleted, Edited, Me, Stopped, read
from pipeline.ports import Inbox

REMEMBERED = 1000
OURS = frozenset({"message", "app_mention", "agent_session_stopped"})


class Intake:
    """A middleware that runs before Bolt does anything else, authorization included.

    When the inbox cannot be written it raises; Bolt then sends no ack (500 over HTTP), and Slack sends again."""

    def __init__(self, inbox: Inbox, me: Me, stop: Callable[[str, str], None]) -> None:
        self._inbox = inbox
        self._me = me
        self._stop = stop
        self._early: OrderedDict[str, Edited | Deleted] = OrderedDict()
        """Edits and deletions that came before their message: Slack may deliver out of order."""

    async def receive(self, req: AsyncBoltRequest, next_: Callable[[], Awaitable[Any]]) -> Any:
        """Take in what is ours and answer 200; hand everything else on."""
        event = req.body.get("event")
        if not isinstance(event, dict) or event.get("type") not in OURS:
            return await next_()
        match read(req.body, self._me):
            case Addressed() as addressed:
                await self._accept(addressed)
            case Edited() as edited:
                if not await self._inbox.amend(edited.key, edited.text):
                    self._remember(edited)
            case Deleted() as deleted:
                if not await self._inbox.cancel(deleted.key):
                    self._remember(deleted)
            case Stopped() as stopped:
                self._stop(stopped.channel, stopped.thread)
        return BoltResponse(status=200, body="")

    async def _accept(self, addressed: Addressed) -> None:
        message = addressed.message
        early = self._early.get(message.key)
        if isinstance(early, Deleted):
            return
        if early:
            message = message.model_copy(update={"text": early.text})
        if addressed.follow_up and not await self._inbox.takes_part(message.conversation):
            return
        await self._inbox.accept(message)

    def _remember(self, happened: Edited | Deleted) -> None:
        self._early[happened.key] = happened
        self._early.move_to_end(happened.key)
        if len(self._early) > REMEMBERED:
            self._early.popitem(last=False)
