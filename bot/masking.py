"""What models on other people's servers are not shown, as the settings ask."""

from __future__ import annotations

from bot.config.settings import Settings, environment_name
from pipeline.screen.private import Finder, find


def finder(settings: Settings) -> Finder | None:
    """What finds it; None where they are shown everything. Raises Misconfigured."""
    if settings.masking == "none":
        return None
    if settings.masking == "exact":
        return find
    from adapters.models.presidio import open_presidio

    return open_presidio(settings.masking.partition(":")[2], environment_name("masking"))
