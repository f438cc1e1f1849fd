"""Settings of places: the file's, overridden by those that admins set in chat."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from bot.config.settings_errors import describe_allowed
from bot.services.authority import AuditedAuthorizer
from pipeline.errors import InvalidPlaceSetting, Refused
from pipeline.rules.access import AccessPolicy
from pipeline.rules.place_settings import SettingsLayer, effective_settings, setting_origins
from pipeline.values import (
    OFF_RECORD_TAG,
    USE_DEFAULT,
    Action,
    Actor,
    ChannelMessage,
    ChannelSyncState,
    PlaceId,
    PlaceSettings,
    Readers,
)
from storage.documents.channel_messages import SQLChannelMessages
from storage.documents.library import SQLDocumentStore
from storage.people.places import SQLPlaceSettings

# --- Settings of places ---------------------------------------------------------------------------


class StoredPlaceService:
    """Resolves settings of the file and of chat in one way."""

    def __init__(
        self,
        file: Mapping[PlaceId, PlaceSettings],
        rules: AccessPolicy,
        store: SQLPlaceSettings,
        library: SQLDocumentStore,
        authority: AuditedAuthorizer,
        unindexed: Mapping[str, str],
    ) -> None:
        """`unindexed`: by platform, why its channels may not be a source; "" if they may."""
        self._unindexed = unindexed
        self._file = file
        self._rules = rules
        self._store = store
        self._library = library
        self._authority = authority

    async def effective_settings(self, chain: Sequence[PlaceId]) -> PlaceSettings:
        """Return the settings in force in the last place of `chain`, which begins with the widest."""
        return effective_settings(chain, self._file, await self._store.of(chain))

    async def origins(self, place: PlaceId) -> dict[str, tuple[Any, SettingsLayer]]:
        """Return each setting in force at `place`, with its value and its origin."""
        return setting_origins(place.chain, self._file, await self._store.of(place.chain))

    async def chat_settings(self, place: PlaceId) -> PlaceSettings:
        """Return what was set in chat for this very place."""
        return (await self._store.of([place])).get(place, PlaceSettings())

    async def indexed_channels(self, platform: str = "") -> dict[PlaceId, PlaceSettings]:
        """Return the channels (of one `platform`) that are a source, each with its settings in force."""
        if platform and self._unindexed.get(platform, platform):
            return {}
        chat = await self._store.all()
        named = {place for place in {*self._file, *chat} if self._rules.platforms.is_channel(place)}
        effective = {place: effective_settings(place.chain, self._file, chat) for place in named}
        return {
            place: settings
            for place, settings in effective.items()
            if settings.index and not self._unindexed_reason(place)
        }

    def _unindexed_reason(self, place: PlaceId) -> str:
        return self._unindexed.get(place.platform, "There is no such platform here.")

    async def update_settings(self, actor: Actor, place: PlaceId, choices: Mapping[str, str]) -> PlaceSettings:
        """Change settings, by name and as text; `default` removes one. Return the settings then in force.

        Raises NotAllowed, and Refused naming the error; nothing is set then.
        """
        platform = self._rules.platforms.find_platform(place.platform)
        if platform and platform.threads_only and choices.get("threads") == "false":
            message = f"threads must be true: {platform.title} answers in threads"
            raise Refused(message, what_to_do="Nothing was changed.")
        await self._authority.require(actor, Action.SET_UP, str(place))
        settings = self._apply_choices(await self.chat_settings(place), choices)
        await self._refuse_unknown(place, settings)
        if settings.ask and not (
            settings.ask.parent == place.parent and self._rules.platforms.is_channel(settings.ask)
        ):
            what_to_do = "Name one; nothing was changed."
            raise InvalidPlaceSetting(f"ask must be a channel of {place.parent}", name="ask", what_to_do=what_to_do)
        if choices.get("index") == "true":
            self._refuse_index(place)
        await self._store.put(place, settings)
        return await self.effective_settings(place.chain)

    async def collections_for_replies(self, place: PlaceId) -> list[str]:
        """Return the collections that everyone in `place` may see, including those with a rule and no document yet."""
        readers = Readers(groups=frozenset(map(str, place.chain)))
        names = {*await self._library.list_collections(), *self._rules.by_collection}
        return sorted(
            name
            for name in names
            if not self._rules.is_channel_collection(name) and self._rules.check_access(readers, name).allowed
        )

    def _apply_choices(self, before: PlaceSettings, choices: Mapping[str, str]) -> PlaceSettings:
        if unknown := [name for name in choices if name not in PlaceSettings.model_fields]:
            close = difflib.get_close_matches(unknown[0], PlaceSettings.model_fields, n=1)
            raise Refused(
                f"there is no setting {unknown[0]}",
                what_to_do=f"Did you mean {close[0]}?" if close else "See the README.",
            )
        changes = {name: _parse_choice(name, value.strip()) for name, value in choices.items()}
        try:
            return PlaceSettings.model_validate(before.model_dump() | changes)
        except ValidationError as error:
            (detail, *_) = error.errors(include_url=False)
            name = str(detail["loc"][0])
            must = describe_allowed(PlaceSettings.model_fields[name], detail)
            what_to_do = "Correct that; nothing was changed."
            raise InvalidPlaceSetting(f"{name} must be {must}", name=name, what_to_do=what_to_do) from None

    def _refuse_index(self, place: PlaceId) -> None:
        why = self._unindexed_reason(place) if place.channel else "Channels are read by name: set it for each of them."
        if why:
            raise Refused(f"what is said in {place} cannot be a source", what_to_do=f"{why} Nothing was changed.")

    async def _refuse_unknown(self, place: PlaceId, settings: PlaceSettings) -> None:
        _refuse_missing("collections", settings.collections or (), await self._library.list_collections())
        if settings.teach:
            _refuse_missing("teach", (settings.teach,), await self.collections_for_replies(place))


def _refuse_missing(setting: str, names: Iterable[str], existing: Sequence[str]) -> None:
    for name in names:
        if name not in existing:
            close = difflib.get_close_matches(name, existing, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(existing) or 'none yet'}."
            raise InvalidPlaceSetting(
                f"there is no collection {name}", name=setting, what_to_do=hint, offered=tuple(existing)
            )


def _parse_choice(name: str, value: str) -> object:
    if not value or value == USE_DEFAULT:
        return None
    return tuple(value.replace(",", " ").split()) if name == "collections" else value


# --- Channels in which what people say is a source of answers -------------------------------------


class StoredChannelService:
    def __init__(self, store: SQLChannelMessages, places: StoredPlaceService) -> None:
        self._messages = store
        self._places = places

    async def indexed_channels(self, space: str) -> frozenset[PlaceId]:
        """Return the indexed channels of a workspace or server (`slack:T1`)."""
        indexed = await self._places.indexed_channels(PlaceId.parse(space).platform)
        return frozenset(place for place in indexed if str(place.parent) == space)

    async def find_indexed(self, chain: Sequence[PlaceId]) -> PlaceId | None:
        """Return the indexed channel that the places of `chain`, the widest first, are or lie in."""
        indexed = await self._places.indexed_channels(chain[0].platform) if len(chain) > 1 else {}
        return next((place for place in chain if place in indexed), None)

    async def save_messages(self, messages: Sequence[ChannelMessage], *, fresh: bool = False) -> None:
        """Store messages as they are now; excluded ones are deleted. Durable when it returns.

        `fresh`: they were read just now instead of reported by an event.
        """
        await self._messages.save([message for message in messages if not is_excluded(message)], fresh=fresh)
        for message in filter(is_excluded, messages):
            await self._messages.delete(message.channel, [message.message])

    async def remove_messages(self, channel: PlaceId, messages: Collection[str], *, deleted: bool = False) -> None:
        """Remove messages from the sources: they are excluded, or `deleted` for good."""
        await self._messages.delete(channel, messages, deleted=deleted)

    async def remove_thread(self, channel: PlaceId, thread: str) -> None:
        """Remove all messages of a thread."""
        await self._messages.delete_thread(channel, thread)

    async def remove_channel(self, channel: PlaceId) -> None:
        """Remove all messages of a channel that is gone, or that the bot has left."""
        await self._messages.forget_channel(channel)
        await self._messages.save((), channel, closed_channel_state())


def closed_channel_state(name: str = "") -> ChannelSyncState:
    """Return the state of a channel that may not be read now."""
    now = datetime.now(UTC)
    return ChannelSyncState(name=name, begun=now, complete=now, closed=True)


def is_excluded(message: ChannelMessage) -> bool:
    """Return True if a message asks not to be read, or is empty."""
    return OFF_RECORD_TAG in message.text.lower() or not (message.text.strip() or message.files)
