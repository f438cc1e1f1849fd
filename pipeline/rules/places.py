"""Which settings hold in a place: the one function that says so, for the file and for what was set in chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.values import (
    EVERYWHERE,
    Audience,
    Auto,
    Chosen,
    IncomingMessage,
    Manner,
    Place,
    PlaceId,
    Request,
    Value,
    WhoWrites,
    replace,
)

Places = Mapping[PlaceId, Place]
FILE, CHAT = "citewell.toml", "set in chat"


class Layer(Value):
    """What one source sets for one place."""

    place: PlaceId
    source: str
    """FILE or CHAT."""
    sets: Place


def layers(chain: Sequence[PlaceId], file: Places, chat: Places) -> Iterator[Layer]:
    """What is set for the places of `chain`, the widest first; what was set in chat lies over the file.

    The later wins: a channel over its server, wherever that is set."""
    for place in chain:
        for source, table in ((FILE, file), (CHAT, chat)):
            if place in table:
                yield Layer(place=place, source=source, sets=table[place])


def in_force(chain: Sequence[PlaceId], file: Places, chat: Places) -> Place:
    """What holds in the last place of `chain`."""
    place = EVERYWHERE
    for layer in layers(chain, file, chat):
        place = layer.sets.within(place)
    return place


def origins(chain: Sequence[PlaceId], file: Places, chat: Places) -> dict[str, tuple[Any, Layer]]:
    """Each name that is set for the last place of `chain`, with its value and where it comes from."""
    return {
        name: (value, layer) for layer in layers(chain, file, chat) for name, value in layer.sets if value is not None
    }


def asked(message: IncomingMessage, audience: Audience, chosen: Chosen) -> Request:
    """A platform's message as a request.

    What the asker prefers goes before what is set for the place; what is searched is never more than `audience`."""
    preferences, place = chosen.preferences, chosen.place
    collections = audience.collections.intersection(place.collections or audience.collections)
    return Request(
        text=message.text,
        audience=replace(audience, collections=collections),
        conversation=message.conversation,
        records=False,
        unasked=message.manner.unannounced,
        author=message.author,
        style=preferences.style or place.style,
        citation_style=preferences.citations,
        language=chosen.language or "",
        locale=message.locale,
        ask=(place.ask_name or "") if place.ask else None,
        auto=_auto(message, place),
        extract=place.writer is WhoWrites.EXTRACT,
    )


def _auto(message: IncomingMessage, place: Place) -> Auto | None:
    if not (unasked(message, place) and message.said_in and place.auto_level and place.auto_per_hour):
        return None
    return Auto(place=message.said_in[:2][-1], least=place.auto_level, per_hour=place.auto_per_hour)


def unasked(message: IncomingMessage, place: Place) -> bool:
    """Whether a message that was overheard may be answered because of where it was said."""
    return bool(place.auto and not place.silent and message.opens)


def heard(message: IncomingMessage, place: Place) -> bool:
    """Whether the bot listens to a message at all: in a silent place only to what is answered in private."""
    return not place.silent or message.manner in (Manner.COMMAND, Manner.DIRECT)


def unindexed(places: Places, why: str) -> list[str]:
    """A line for each of `places` that is to be a source, where `why` says what keeps it from being one."""
    wanted = sorted(str(place) for place, sets in places.items() if sets.index)
    return [f'[places."{place}"] is to be a source, and is not read. {why}' for place in wanted if why]
