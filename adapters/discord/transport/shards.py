"""The shards of one process: its part of all servers."""

from __future__ import annotations

import re
from typing import NamedTuple

SHARDS_FORMAT = "FIRST-LAST/TOTAL, such as 0-3/8, counted from 0"
_PATTERN = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?/(\d{1,4})")


class ShardRange(NamedTuple):
    first: int
    last: int
    total: int

    @classmethod
    def parse(cls, text: str) -> ShardRange:
        """Parse `0-3/8`, the first four of eight, or `7/8`, the last one. Raises ValueError with the expected
        format."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(SHARDS_FORMAT)
        first, total = int(match[1]), int(match[3])
        last = int(match[2] or first)
        if not first <= last < total:
            raise ValueError(SHARDS_FORMAT)
        return cls(first, last, total)

    @property
    def ids(self) -> list[int]:
        return list(range(self.first, self.last + 1))

    @property
    def file_suffix(self) -> str:
        """The suffix of the process's own files."""
        return f"{self.first}-{self.last}-of-{self.total}"

    def contains(self, guild_id: int | None) -> bool:
        """Return True if a server is on one of the shards; direct messages, of no server, are on shard 0."""
        return self.first <= self.shard_of(guild_id or 0) <= self.last

    def shard_of(self, guild_id: int) -> int:
        """Return the shard that a server is on (events/gateway, "Sharding")."""
        # The upper bits of a snowflake are the time it was made, which spreads servers evenly.
        return (guild_id >> 22) % self.total


SINGLE_SHARD = ShardRange(0, 0, 1)
