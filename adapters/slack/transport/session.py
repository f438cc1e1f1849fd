"""What there is once the workspace is known, and what Bolt hands on to it."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from adapters.chat.adapter import Chat
from adapters.chat.catch_up import CatchUp
from adapters.chat.driver import ChatOptions, Driver
from adapters.chat.reply.parts import Look
from adapters.slack.audience import SlackReaches
from adapters.slack.events.before import SlackReads
from adapters.slack.events.files import Files
from adapters.slack.events.incoming import GONE, MALFORMED, Me
from adapters.slack.events.intake import SlackIntake
from adapters.slack.events.missed import LAST_RETRY, Message, Missed, Part
from adapters.slack.events.talk import SlackTalk
from adapters.slack.members import Members
from adapters.slack.parts.render import Post
from adapters.slack.platform import SLACK
from adapters.slack.post.deliver import SlackPosts, SlackTells
from adapters.slack.post.notices import SlackNotices
from adapters.slack.press.account import Homepage
from adapters.slack.press.interactions import SlackInteractions
from adapters.slack.press.presser import Context
from adapters.slack.press.setup import SetupForm
from adapters.slack.settings import SlackSettings
from adapters.slack.transport.startup import Workspace
from adapters.slack.web import SDK_LOG, SlackPace, Web
from pipeline.ports import Desk, Inbox
from pipeline.values import replace

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Terms:
    """What holds in every workspace."""

    settings: SlackSettings
    look: Look
    pace: SlackPace
    clock: Callable[[], float]
    desk: Desk | None
    """What a process asks that delivers without listening."""


class SlackSession:
    """One workspace. Closed by `close`, once nothing is delivered any more."""

    app: AsyncApp
    """Takes in all that Slack sends of it."""
    catch_up: CatchUp[Part, Message]
    space: str
    """`slack:T1`"""

    def __init__(self, web: Web, workspace: Workspace, terms: Terms) -> None:
        self._terms = terms
        self.web = web
        self.workspace = workspace
        self.me = replace(workspace.me, workflows=frozenset(terms.settings.workflows))
        self.space = str(self.me.place())
        self.members = Members(web, self.me.team)
        self.talk = SlackTalk(web, self.me, workspace.address)
        self._files = Files(web, web.client.token or "", terms.settings.api_url)
        self._reaches = SlackReaches(web, self.me, self.members)
        self.chat = self._chat()

    def _chat(self) -> Chat[Post]:
        web, me, shares, terms = self.web, self.me, self._terms.settings.shares, self._terms
        driver = Driver(
            SlackPosts(web, me, self._reaches.shared),
            SlackNotices(web, me, terms.look, self._reaches.shared, shared_channels=shares),
            SlackReads(web, me, self.talk, self._files),
            self._reaches,
            SlackTells(web),
        )
        options = ChatOptions(SLACK, terms.look, patience=terms.pace.standing, shared_channels=shares)
        return Chat(driver, options, terms.desk)

    def listen(self, inbox: Inbox, desk: Desk) -> None:
        """From now on there is an app, and what was missed can be read."""
        self.chat.listen(inbox, desk)
        intake = SlackIntake(self.chat.hearing, self.me, self.talk)
        self.catch_up = CatchUp(
            self.space,
            inbox,
            partial(Missed, self.web, self.me, inbox, desk.channels, intake),
            lag=LAST_RETRY,
            clock=self._terms.clock,
            untaken=intake.untaken,
        )
        self.app = self._app(intake, inbox, desk)

    def _app(self, intake: SlackIntake, inbox: Inbox, desk: Desk) -> AsyncApp:
        SDK_LOG.setLevel(logging.ERROR)  # else Bolt warns that our client goes before the token of the environment
        app = AsyncApp(
            client=self.web.client,
            signing_secret=self._terms.settings.signing_secret or "not used in Socket Mode",
            before_authorize=intake.receive,
            authorize=_as(self.me, self.web.client.token or ""),
            attaching_conversation_kwargs_enabled=False,
            logger=SDK_LOG,
            name="citewell",
        )
        SDK_LOG.setLevel(logging.WARNING)
        if self._terms.settings.signing_secret:
            app.error(_failed)
        look, shared = self._terms.look, self._terms.settings.shares
        context = Context(self.web, self.me, self.chat, self._reaches, desk, self._files, look, shared)
        setup = SetupForm(context)
        setup.register(app)
        Homepage(context, setup).register(app)
        SlackInteractions(context, inbox, self.talk.names).register(app)
        app.event("member_joined_channel")(self.members.joined)

        async def left(body: dict[str, Any], event: dict[str, Any]) -> None:
            await self._reaches.left(event)
            await intake.take(body)

        for gone in ("member_left_channel", *GONE):
            app.event(gone)(left)
        app.event(re.compile(""))(_leave_alone)
        return app

    async def close(self) -> None:
        await self.members.close()


def _as(me: Me, token: str) -> Callable[[], Awaitable[AuthorizeResult]]:
    """Without this Bolt asks Slack who we are or, where SLACK_CLIENT_ID stands in the environment, a store of its own,
    which knows of nobody."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=me.team, bot_user_id=me.user, bot_id=me.bot, bot_token=token)

    return authorize


async def _failed(error: Exception, response: BoltResponse | None) -> BoltResponse | None:
    """500 makes Slack send again, which what nobody can make sense of is not worth. Without `response`, Slack has its
    acknowledgement already."""
    log.error("slack_request_failed", exc_info=error)
    return response and BoltResponse(status=400 if isinstance(error, MALFORMED) else 500)


async def _leave_alone() -> None:
    """An event that nothing here is about, such as `file_shared`: acknowledged, or Slack sends it again."""
