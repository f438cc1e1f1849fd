"""Setting up a place."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.chat.press.presser import Presser
from adapters.chat.words import setup
from pipeline.errors import NotAllowed, WrongSetting
from pipeline.ports import Desk
from pipeline.values import Action, Place, PlaceId


async def may_set_up(desk: Desk, by: Presser) -> bool:
    """Whether to offer it; it is checked again when it is done."""
    return desk.authority.allows(await by.actor(), Action.SET_UP)


async def set_up(desk: Desk, by: Presser, place: PlaceId, choices: Mapping[str, str]) -> Place | None:
    """What holds there once it is set; None where it was refused, which they are told."""
    words = await by.words()
    try:
        return await desk.places.set_up(await by.actor(), place, choices)
    except NotAllowed:
        await by.refuse(words(setup.ADMINS_ONLY), next(iter(choices)))
    except WrongSetting as error:
        await by.refuse(setup.refusal(error, words), error.name)
    return None
