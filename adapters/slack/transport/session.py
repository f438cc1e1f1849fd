"""The session of one workspace, with its Bolt app."""

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

from adapters.chat.adapter import ChatApp
from adapters.chat.catch_up import CatchUp
from adapters.chat.driver import ChatOptions, PlatformDriver
from adapters.chat.reply.parts import RenderOptions
from adapters.slack.audience import SlackAudienceResolver
from adapters.slack.events.catch_up import LAST_RETRY_SECONDS, MissedMessage, SlackMissedReader, SlackUnread
from adapters.slack.events.channel_messages import SlackChannelMessages
from adapters.slack.events.files import SlackFiles
from adapters.slack.events.history import SlackHistoryReader
from adapters.slack.events.incoming import CHANNEL_GONE_EVENTS, MALFORMED_ERRORS, SlackBot
from adapters.slack.events.intake import SlackIntake
from adapters.slack.interactions.app_home import SlackAppHome
from adapters.slack.interactions.context import SlackInteractionDependencies
from adapters.slack.interactions.handlers import SlackInteractionHandlers
from adapters.slack.interactions.setup import SlackSetupForm
from adapters.slack.members import SlackMembership
from adapters.slack.platform import SLACK
from adapters.slack.post.announcements import SlackAnnouncementPoster
from adapters.slack.post.delivery import SlackNotifier, SlackReplyPoster
from adapters.slack.rendering.render import SlackPost
from adapters.slack.settings import SlackSettings
from adapters.slack.transport.startup import SlackWorkspace
from adapters.slack.web_client import SDK_LOG, SlackClientTimings, SlackWebClient
from pipeline.ports import BotServices, Inbox
from pipeline.values import replace

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class SlackSessionConfig:
    """Options of all workspaces."""

    settings: SlackSettings
    render_options: RenderOptions
    timings: SlackClientTimings
    clock: Callable[[], float]
    services: BotServices | None
    """The services of a process that delivers without listening."""


class SlackSession:
    """The session of one workspace. Call `close` once nothing is delivered any more."""

    app: AsyncApp
    """The Bolt app that handles all of Slack's requests for the workspace."""
    catch_up: CatchUp[SlackUnread, MissedMessage]
    space: str
    """Such as `slack:T1`."""

    def __init__(self, web: SlackWebClient, workspace: SlackWorkspace, config: SlackSessionConfig) -> None:
        self._config = config
        self.web = web
        self.workspace = workspace
        self.me = replace(workspace.me, workflows=frozenset(config.settings.workflows))
        self.space = str(self.me.place())
        self.members = SlackMembership(web, self.me.team)
        self.channel_messages = SlackChannelMessages(web, self.me, workspace.address)
        self._files = SlackFiles(web, web.client.token or "", config.settings.api_url)
        self._audience_resolver = SlackAudienceResolver(web, self.me, self.members)
        self.chat = self._build_chat()

    def _build_chat(self) -> ChatApp[SlackPost]:
        web, me, shares, terms = self.web, self.me, self._config.settings.answers_shared_channels, self._config
        driver = PlatformDriver(
            SlackReplyPoster(web, me, self._audience_resolver.is_shared),
            SlackAnnouncementPoster(
                web, me, terms.render_options, self._audience_resolver.is_shared, shared_channels=shares
            ),
            SlackHistoryReader(web, me, self.channel_messages, self._files),
            self._audience_resolver,
            SlackNotifier(web),
        )
        options = ChatOptions(
            SLACK, terms.render_options, patience=terms.timings.membership_timeout, shared_channels=shares
        )
        return ChatApp(driver, options, terms.services)

    def listen(self, inbox: Inbox, services: BotServices) -> None:
        """Create the app, and what catches up on missed messages."""
        self.chat.listen(inbox, services)
        intake = SlackIntake(self.chat.event_handler, self.me, self.channel_messages)
        self.catch_up = CatchUp(
            self.space,
            inbox,
            partial(SlackMissedReader, self.web, self.me, inbox, services.channels, intake),
            lag=LAST_RETRY_SECONDS,
            clock=self._config.clock,
            failed_channels=intake.failed_channels,
        )
        self.app = self._build_app(intake, inbox, services)

    def _build_app(self, intake: SlackIntake, inbox: Inbox, services: BotServices) -> AsyncApp:
        SDK_LOG.setLevel(logging.ERROR)  # else Bolt warns that our client goes before the token of the environment
        app = AsyncApp(
            client=self.web.client,
            signing_secret=self._config.settings.signing_secret or "not used in Socket Mode",
            before_authorize=intake.handle_request,
            authorize=_authorizer(self.me, self.web.client.token or ""),
            attaching_conversation_kwargs_enabled=False,
            logger=SDK_LOG,
            name="citewell",
        )
        SDK_LOG.setLevel(logging.WARNING)
        if self._config.settings.signing_secret:
            app.error(_on_error)
        render_options, shared = self._config.render_options, self._config.settings.answers_shared_channels
        context = SlackInteractionDependencies(
            self.web, self.me, self.chat, self._audience_resolver, services, self._files, render_options, shared
        )
        setup = SlackSetupForm(context)
        setup.register(app)
        SlackAppHome(context, setup).register(app)
        SlackInteractionHandlers(context, inbox, self.channel_messages.names).register(app)
        app.event("member_joined_channel")(self.members.on_member_joined)

        async def left(body: dict[str, Any], event: dict[str, Any]) -> None:
            await self._audience_resolver.forget_member(event)
            await intake.accept(body)

        for gone in ("member_left_channel", *CHANNEL_GONE_EVENTS):
            app.event(gone)(left)
        app.event(re.compile(""))(_ignore)
        return app

    async def close(self) -> None:
        await self.members.close()


def _authorizer(me: SlackBot, token: str) -> Callable[[], Awaitable[AuthorizeResult]]:
    """Return our own authorization. Without it Bolt asks Slack who we are or, where SLACK_CLIENT_ID is in the
    environment, a store of its own, which is empty."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=me.team, bot_user_id=me.user, bot_id=me.bot, bot_token=token)

    return authorize


async def _on_error(error: Exception, response: BoltResponse | None) -> BoltResponse | None:
    """Return the response to a failed request. 500 makes Slack send it again, which is of no use for a malformed one.
    Without `response`, Slack was acknowledged already."""
    log.error("slack_request_failed", exc_info=error)
    return response and BoltResponse(status=400 if isinstance(error, MALFORMED_ERRORS) else 500)


async def _ignore() -> None:
    """Acknowledge an event that nothing here needs, such as `file_shared`; otherwise Slack sends it again."""
