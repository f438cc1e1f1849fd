"""What a source remembers, for as long as a test runs."""

from __future__ import annotations

from collections.abc import Mapping


class Kept(dict[str, str]):
    """A `SourceCache`."""

    async def load(self) -> dict[str, str]:
        return dict(self)

    async def update(self, changes: Mapping[str, str | None]) -> None:
        for name, value in changes.items():
            if value is None:
                self.pop(name, None)
            else:
                self[name] = value
