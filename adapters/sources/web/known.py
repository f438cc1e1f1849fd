"""What is kept of each page between two looks at its site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

_PREFIX = "page "


@dataclass(frozen=True)
class Known:
    """A page as it was when it came last."""

    address: str
    """Where people read it, as it says itself: the canonical address that it names, otherwise `came_from`."""
    came_from: str
    """After redirects."""
    version: str
    """SHA-256 of it; empty when it is no document: not to be indexed, or of a format that is not read."""
    etag: str = ""
    modified: str = ""
    """Its Last-Modified header."""
    links: tuple[str, ...] = ()
    """Those that a crawl follows."""

    @property
    def to_ask_again(self) -> Known:
        """Without its links, and so that it is sent whole the next time, with them."""
        return replace(self, links=(), etag="", modified="")

    @property
    def conditions(self) -> dict[str, str]:
        """Headers of a request that is answered with 304 while the page is the same."""
        asked = {"if-none-match": self.etag, "if-modified-since": "" if self.etag else self.modified}
        return {name: value for name, value in asked.items() if value}


def recalled(memory: Mapping[str, str]) -> dict[str, Known]:
    """By the address that was asked for; what is not understood any more is left out."""
    found = {}
    for key, value in memory.items():
        try:
            said = json.loads(value)
            found[key.removeprefix(_PREFIX)] = Known(**{**said, "links": tuple(said["links"])})
        except (ValueError, TypeError, KeyError):
            continue
    return found


def kept(asked: str, page: Known | None) -> dict[str, str | None]:
    """What the memory is to keep of the page; None: nothing any more."""
    return {_PREFIX + asked: json.dumps(asdict(page)) if page else None}
