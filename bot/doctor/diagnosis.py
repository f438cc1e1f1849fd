"""All checks, each after those it depends on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from bot import registry
from bot.config.settings import Settings, enabled_platforms, secret_value
from bot.doctor.config_warnings import warn_unreachable_server
from bot.doctor.data import diagnose_data
from bot.doctor.guard import guarded
from bot.doctor.machine import diagnose_machine
from bot.doctor.models import diagnose_models, examine_offline
from bot.platforms import open_installations
from pipeline.errors import CitewellError
from pipeline.values import Finding, PlaceId
from pipeline.values.diagnostics import error_finding, warning_finding
from pipeline.values.platform import Installation
from storage.open import open_storage


async def diagnose(settings: Settings, *, offline: bool) -> AsyncIterator[Finding]:
    """Yield the findings, one check after the other: a failure in one hides no other.

    `offline`: no service is called.
    """
    for finding in diagnose_machine():
        yield finding
    async for finding in guarded("data folder", diagnose_data(settings)):
        yield finding
    if offline:
        for finding in _check_token_formats(settings):
            yield finding
        async for finding in guarded("models", examine_offline(settings)):
            yield finding
        return
    if not enabled_platforms(settings):
        yield warning_finding("platforms", "no token is set", "To set one up: citewell init")
    async for finding in diagnose_platforms(settings):
        yield finding
    async for finding in guarded("models", diagnose_models(settings)):
        yield finding
    for line in await warn_unreachable_server(settings.chroma_url):
        yield error_finding("Chroma", line, "Start it, or correct or unset CITEWELL_CHROMA_URL.")


async def diagnose_platforms(settings: Settings) -> AsyncIterator[Finding]:
    """Check the platforms that are set up. Posts nothing."""
    from bot.doctor.clock import diagnose_clock

    named = _named_places(settings)
    for config in enabled_platforms(settings):
        places = [place for place in named if place.platform == config.platform.name]
        async for finding in guarded(
            config.platform.title, config.diagnose(places, partial(_stored_installations, settings))
        ):
            yield finding
        if config.clock_url:
            yield await diagnose_clock(config.platform.title, config.clock_url)


def _check_token_formats(settings: Settings) -> list[Finding]:
    """Return a finding for each token whose format is wrong."""
    checks = [
        prompt.check_format(setup.current_token(prompt))
        for setup in (config.setup() for config in enabled_platforms(settings))
        if setup
        for prompt in setup.tokens
        if setup.current_token(prompt)
    ]
    return [check.finding for check in checks if check]


def _named_places(settings: Settings) -> set[PlaceId]:
    """Return the places that the settings name: the bot has to be in them."""
    digest = registry.platforms().parse_recipient(settings.digest) if settings.digest else None
    return {*settings.places, *([digest] if isinstance(digest, PlaceId) else ())}


async def _stored_installations(settings: Settings) -> list[Installation] | None:
    try:
        async with open_storage(settings.data, database=secret_value(settings.database), make=False) as storage:
            return await open_installations(settings, storage.database).all()
    except CitewellError:
        return None
