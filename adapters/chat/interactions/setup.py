"""Setting up a place in chat."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.chat.interactions.context import InteractionContext
from adapters.chat.words import setup
from pipeline.errors import InvalidPlaceSetting, NotAllowed
from pipeline.ports import BotServices
from pipeline.values import Action, PlaceId, PlaceSettings


async def can_set_up(services: BotServices, interaction: InteractionContext) -> bool:
    """Return True if the setup is to be offered. Permission is checked again when it is applied."""
    return services.authority.is_allowed(await interaction.actor(), Action.SET_UP)


async def apply_setup(
    services: BotServices, interaction: InteractionContext, place: PlaceId, choices: Mapping[str, str]
) -> PlaceSettings | None:
    """Store the choices. Return the settings of the place; None where they were refused, which the person is told."""
    translator = await interaction.words()
    try:
        return await services.places.update_settings(await interaction.actor(), place, choices)
    except NotAllowed:
        await interaction.show_error(translator(setup.SETUP_ADMINS_ONLY), next(iter(choices)))
    except InvalidPlaceSetting as error:
        await interaction.show_error(setup.invalid_setting_text(error, translator), error.name)
    return None
