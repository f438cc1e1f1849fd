"""Setting up a place in chat."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.chat.interactions.context import InteractionContext
from adapters.chat.words import setup
from pipeline.errors import InvalidPlaceSetting, NotAllowed
from pipeline.ports import BotServices
from pipeline.values import Action, PlaceId, PlaceSettings


async def can_set_up(desk: BotServices, by: InteractionContext) -> bool:
    """Return True if the setup is to be offered. Permission is checked again when it is applied."""
    return desk.authority.is_allowed(await by.actor(), Action.SET_UP)


async def apply_setup(
    desk: BotServices, by: InteractionContext, place: PlaceId, choices: Mapping[str, str]
) -> PlaceSettings | None:
    """Store the choices. Return the settings of the place; None where they were refused, which the person is told."""
    words = await by.words()
    try:
        return await desk.places.update_settings(await by.actor(), place, choices)
    except NotAllowed:
        await by.show_error(words(setup.SETUP_ADMINS_ONLY), next(iter(choices)))
    except InvalidPlaceSetting as error:
        await by.show_error(setup.invalid_setting_text(error, words), error.name)
    return None
