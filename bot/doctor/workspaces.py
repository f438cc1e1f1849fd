"""The Slack workspaces that added the bot by themselves, and the keys that their tokens are kept under."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.settings import Settings, keys, secret
from pipeline.errors import CitewellError
from pipeline.values import Finding
from pipeline.values.finding import bad, good, warning
from pipeline.values.installation import Installation
from storage.database import Database
from storage.installations import SQLInstallations
from storage.open import open_storage
from storage.seal import Seal

SUBJECT = "Slack workspaces"


async def examine_kept(settings: Settings, database: Database) -> Finding:
    """Whether what is kept of them can be read."""
    try:
        found = await _all(settings, database)
    except CitewellError as error:
        return bad(SUBJECT, str(error), error.what_to_do or "See docs/slack.md#many-workspaces.")
    if not found:
        return warning(SUBJECT, "none has added the bot yet", "Open /slack/install at your public address.")
    return good(SUBJECT, f"added to {', '.join(f'{one.name} ({one.space.space})' for one in found)}")


async def examine_tokens(settings: Settings) -> AsyncIterator[Finding]:
    """Whether Slack takes each one's token. Posts nothing."""
    from adapters.slack.doctor import examine_installed

    try:
        async with open_storage(settings.data, database=secret(settings.database), make=False) as storage:
            found = await _all(settings, storage.database)
    except CitewellError:
        return  # said with the data
    async for finding in examine_installed(
        found, secret(settings.slack_app_token), secret(settings.slack_signing_secret), api_url=settings.slack_api_url
    ):
        yield finding


async def _all(settings: Settings, database: Database) -> list[Installation]:
    return await SQLInstallations(database, Seal(keys(settings))).all()
