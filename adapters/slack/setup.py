"""The setup of Slack: the port `PlatformSetup`."""

from __future__ import annotations

from adapters.slack.settings import SlackSettings
from adapters.slack.tokens import APP_TOKEN, BOT_TOKEN, manifest_link
from pipeline.values import replace
from pipeline.values.setup import TokenCheck, TokenPrompt


class SlackSetup:
    """The setup, which needs a bot token, unless people install the app by themselves, and an app-level token, unless
    events come over HTTP."""

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings

    @property
    def link(self) -> str:
        return manifest_link()

    @property
    def tokens(self) -> tuple[TokenPrompt, ...]:
        bot = () if self._settings.client_id else (BOT_TOKEN,)
        app = () if self._settings.signing_secret else (APP_TOKEN,)
        return (*bot, *app)

    def current_token(self, prompt: TokenPrompt) -> str:
        return self._settings.bot_token if prompt is BOT_TOKEN else self._settings.app_token

    async def check(self, prompt: TokenPrompt, token: str) -> TokenCheck:
        from adapters.slack.doctor import check_bot_token, check_connection
        from adapters.slack.web_client import temporary_clients

        async with temporary_clients(self._settings.api_url) as clients:
            if prompt is BOT_TOKEN:
                check, _ = await check_bot_token(clients, token)
                return check
            return await check_connection(clients, replace(self._settings, app_token=token))
