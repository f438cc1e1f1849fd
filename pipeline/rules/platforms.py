"""The registry of platforms, which checks their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.values import IdFormat, PersonId, PlaceId, Platform
from pipeline.values.ids import join_id, split_id


@dataclass(frozen=True)
class PlatformRegistry:
    """All platforms. Each check returns the id in its normal form, or raises ValueError that says what is allowed."""

    platforms: tuple[Platform, ...] = ()

    def __iter__(self) -> Iterator[Platform]:
        return iter(self.platforms)

    def find_platform(self, text: str) -> Platform | None:
        """Return the platform of an id or with that name."""
        name = text.partition(":")[0]
        return next((platform for platform in self.platforms if platform.name == name), None)

    def parse_place(self, text: str) -> PlaceId:
        """Parse the id of a workspace, a server or a channel. Raises ValueError."""
        return PlaceId.parse(_check_format(text, *self._spaces(), *self._channels()))

    def parse_role_holder(self, text: str) -> str:
        """Check the id of a role's holder: never a channel, which people join by themselves. Raises ValueError."""
        roles = (platform.role for platform in self.platforms if platform.role)
        return _check_format(text, *self._people(), *roles)

    def check_recipient(self, text: str) -> str:
        """Check the id of a channel or person that the bot may post to by itself. Raises ValueError."""
        return _check_format(
            text, *self._channels(), *(platform.person for platform in self.platforms if not platform.is_one_to_one)
        )

    def parse_group(self, text: str) -> str:
        """Check the id of a group that a collection may be opened to. Raises ValueError."""
        parts = split_id(text)
        if self.find_platform(text) is None or not all(parts) or len(parts) == 1:
            formats = (
                platform.role if platform.role and platform.read_by_role else platform.channel
                for platform in self.platforms
            )
            examples = format_alternatives(f"{id_format.example} (a {id_format.label})" for id_format in formats)
            raise ValueError(f"a group, such as {examples}")
        return join_id(*parts)

    def parse_recipient(self, recipient: str) -> PlaceId | PersonId:
        """Parse the id of a channel or a person. Raises ValueError."""
        platform = self.find_platform(recipient)
        return platform.parse_recipient(recipient) if platform else PlaceId.parse(recipient)

    def is_channel(self, place: PlaceId) -> bool:
        return any(id_format.matches(str(place)) for id_format in self._channels())

    def _spaces(self) -> list[IdFormat]:
        return [platform.space for platform in self.platforms]

    def _channels(self) -> list[IdFormat]:
        return [platform.channel for platform in self.platforms if not platform.is_one_to_one]

    def _people(self) -> list[IdFormat]:
        return [platform.person for platform in self.platforms]


def format_alternatives(words: Iterable[str]) -> str:
    """Join words as `a, b or c`, each once."""
    *others, last = dict.fromkeys(words)
    return f"{', '.join(others)} or {last}" if others else last


def _check_format(text: str, *kinds: IdFormat) -> str:
    written = join_id(*split_id(text))
    if not any(kind.matches(written) for kind in kinds):
        words = format_alternatives(kind.label for kind in kinds)
        raise ValueError(f"a {words}: {format_alternatives(kind.example for kind in kinds)}")
    return written
