"""The setup of Discord: the port `PlatformSetup`."""

from __future__ import annotations

from adapters.discord.settings import DiscordSettings
from adapters.discord.tokens import TOKEN
from pipeline.values import replace
from pipeline.values.setup import TokenCheck, TokenPrompt


class DiscordSetup:
    """The setup, which needs one token; the link that adds the bot to a server follows from it."""

    link = "https://discord.com/developers/applications"
    tokens = (TOKEN,)

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings

    def current_token(self, prompt: TokenPrompt) -> str:
        return self._settings.token

    async def check(self, prompt: TokenPrompt, token: str) -> TokenCheck:
        from adapters.discord.doctor import check_token, temporary_client

        settings = replace(self._settings, token=token)
        async with temporary_client(settings) as client:
            check, _ = await check_token(client, settings)
        return check
