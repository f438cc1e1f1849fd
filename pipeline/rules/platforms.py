"""The platforms that there are, and what an id of any of them is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.values import Id, PersonId, PlaceId, Platform
from pipeline.values.ids import joined, parts_of


@dataclass(frozen=True)
class Platforms:
    """Each check gives the text as it is compared, or raises ValueError that says what is allowed."""

    known: tuple[Platform, ...] = ()

    def __iter__(self) -> Iterator[Platform]:
        return iter(self.known)

    def of(self, text: str) -> Platform | None:
        """That of an id, or of a name."""
        name = text.partition(":")[0]
        return next((platform for platform in self.known if platform.name == name), None)

    def place(self, text: str) -> PlaceId:
        """A workspace, a server or a channel of one."""
        return PlaceId.parse(_one_of(text, *self._spaces(), *self._channels()))

    def bearer(self, text: str) -> str:
        """Whom a role may be given to: never a channel, which people join by themselves."""
        roles = (platform.role for platform in self.known if platform.role)
        return _one_of(text, *self._people(), *roles)

    def recipient(self, text: str) -> str:
        """Where the bot may post by itself."""
        return _one_of(text, *self._channels(), *(each.person for each in self.known if not each.alone))

    def group(self, text: str) -> str:
        """Whom a collection may be opened to."""
        parts = parts_of(text)
        if self.of(text) is None or not all(parts) or len(parts) == 1:
            shown = (each.role if each.role and each.read_by_role else each.channel for each in self.known)
            raise ValueError(f"a group, such as {alternatives(f'{one.example} (a {one.word})' for one in shown)}")
        return joined(*parts)

    def whom(self, recipient: str) -> PlaceId | PersonId:
        """The channel or the person that is named."""
        platform = self.of(recipient)
        return platform.whom(recipient) if platform else PlaceId.parse(recipient)

    def is_channel(self, place: PlaceId) -> bool:
        return any(each.fits(str(place)) for each in self._channels())

    def _spaces(self) -> list[Id]:
        return [platform.space for platform in self.known]

    def _channels(self) -> list[Id]:
        return [platform.channel for platform in self.known if not platform.alone]

    def _people(self) -> list[Id]:
        return [platform.person for platform in self.known]


def alternatives(words: Iterable[str]) -> str:
    """`a, b or c`, each once."""
    *some, last = dict.fromkeys(words)
    return f"{', '.join(some)} or {last}" if some else last


def _one_of(text: str, *kinds: Id) -> str:
    written = joined(*parts_of(text))
    if not any(kind.fits(written) for kind in kinds):
        words = alternatives(kind.word for kind in kinds)
        raise ValueError(f"a {words}: {alternatives(kind.example for kind in kinds)}")
    return written
