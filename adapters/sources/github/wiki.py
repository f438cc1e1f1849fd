"""The wiki of a repository: a git repository beside it, with a page in each file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import PurePath
from urllib.parse import quote

from adapters.sources.git.source import GitSource
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem, SourceMemory
from pipeline.values import Parsed, replace

_READ = "wiki"
"""What the memory calls that the wiki was there."""


class Wiki:
    """The pages of `pages`, which people read at `address` (`https://github.com/owner/name/wiki`)."""

    def __init__(self, pages: GitSource, address: str, memory: SourceMemory) -> None:
        self._pages = pages
        self._address = address
        self._memory = memory
        self.skipped: dict[str, str] = {}
        """What the last `items()` left out, each with the reason."""

    async def items(self) -> AsyncIterator[SourceItem]:
        """All pages but the side bar and the footer; none when there never was a wiki. Raises Unavailable."""
        self.skipped = {}
        there = _READ in await self._memory.recall()
        try:
            async for item in self._pages.items():
                if not PurePath(item.label).name.startswith("_"):
                    yield item
        except (Refused, Unavailable) as error:
            if isinstance(error, Unavailable) and not error.denied:
                raise
            if there:
                raise Unavailable("GitHub", f"the wiki: {error}", what_to_do=error.what_to_do) from error
            self.skipped = {"Wiki": "there is none, or the token may not read it"}
            return
        self.skipped = self._pages.skipped
        if not there:
            await self._memory.keep({_READ: "yes"})

    async def parse(self, item: SourceItem) -> Parsed:
        """Read one of `items()`. Raises Refused."""
        parsed = await self._pages.parse(item)
        page = PurePath(parsed.document.filename).stem
        url = f"{self._address}/{quote(page, safe='')}"
        return replace(parsed, document=replace(parsed.document, url=url, document_type="wiki page"))
