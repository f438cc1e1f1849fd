"""The settings in force in a place, from the file and from what was set in chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.values import (
    DEFAULT_PLACE_SETTINGS,
    AnswerRequest,
    AnswerSettings,
    Audience,
    AutoAnswerPolicy,
    IncomingMessage,
    MessageTrigger,
    PlaceId,
    PlaceSettings,
    Value,
    WriterKind,
    replace,
)

SettingsByPlace = Mapping[PlaceId, PlaceSettings]
FILE, CHAT = "citewell.toml", "set in chat"


class SettingsLayer(Value):
    """The settings that one source makes for one place."""

    place: PlaceId
    source: str
    """FILE or CHAT."""
    sets: PlaceSettings


def settings_layers(chain: Sequence[PlaceId], file: SettingsByPlace, chat: SettingsByPlace) -> Iterator[SettingsLayer]:
    """Yield the settings made for the places of `chain`, the widest first; those of the chat after those of the file.

    Later layers win: a channel over its server, wherever that is set."""
    for place in chain:
        for source, table in ((FILE, file), (CHAT, chat)):
            if place in table:
                yield SettingsLayer(place=place, source=source, sets=table[place])


def effective_settings(chain: Sequence[PlaceId], file: SettingsByPlace, chat: SettingsByPlace) -> PlaceSettings:
    """Return the settings in force in the last place of `chain`."""
    place = DEFAULT_PLACE_SETTINGS
    for layer in settings_layers(chain, file, chat):
        place = layer.sets.merged_over(place)
    return place


def setting_origins(
    chain: Sequence[PlaceId], file: SettingsByPlace, chat: SettingsByPlace
) -> dict[str, tuple[Any, SettingsLayer]]:
    """Return each setting that is made for the last place of `chain`, by name, with its value and its layer."""
    return {
        name: (value, layer)
        for layer in settings_layers(chain, file, chat)
        for name, value in layer.sets
        if value is not None
    }


def build_request(message: IncomingMessage, audience: Audience, chosen: AnswerSettings) -> AnswerRequest:
    """Build the request for a platform's message.

    The asker's preferences win over the place's settings; never more than `audience` is searched."""
    preferences, place = chosen.preferences, chosen.place
    collections = audience.collections.intersection(place.collections or audience.collections)
    return AnswerRequest(
        text=message.text,
        audience=replace(audience, collections=collections),
        conversation=message.conversation,
        save_turn=False,
        is_unprompted=message.manner.is_background,
        author=message.author,
        style=preferences.style or place.style,
        citation_style=preferences.citations,
        language=chosen.language or "",
        locale=message.locale,
        ask=(place.ask_name or "") if place.ask else None,
        auto=_auto_policy(message, place),
        extract=place.writer is WriterKind.EXTRACT,
    )


def _auto_policy(message: IncomingMessage, place: PlaceSettings) -> AutoAnswerPolicy | None:
    if not (is_auto_answerable(message, place) and message.said_in and place.auto_level and place.auto_per_hour):
        return None
    return AutoAnswerPolicy(place=message.said_in[:2][-1], minimum_level=place.auto_level, per_hour=place.auto_per_hour)


def is_auto_answerable(message: IncomingMessage, place: PlaceSettings) -> bool:
    """Return whether the settings of its place allow to answer a message that was overheard."""
    return bool(place.auto and not place.silent and message.starts_conversation)


def is_listening(message: IncomingMessage, place: PlaceSettings) -> bool:
    """Return whether the bot reacts to a message at all: in a silent place only to commands and direct messages."""
    return not place.silent or message.manner in (MessageTrigger.COMMAND, MessageTrigger.DIRECT)


def indexing_problems(places: SettingsByPlace, why: str) -> list[str]:
    """Return a line for each of `places` that is to be indexed, where `why` gives a reason that prevents it."""
    indexed = sorted(str(place) for place, sets in places.items() if sets.index)
    return [f'[places."{place}"] is to be a source, and is not read. {why}' for place in indexed if why]
