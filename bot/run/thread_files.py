"""What the files say that people sent in a thread, each below the message that it came with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import structlog

from adapters.files.reader import Reader
from pipeline.errors import Refused
from pipeline.ports import AmongPeople
from pipeline.values import Attachment, Block, BlockKind, Said, replace

MOST = 20_000_000
"""Bytes of one that is read."""
HELD = 32
"""Files whose text is remembered: a thread is made anew with each message."""

log = structlog.get_logger(__name__)


class ThreadFiles:
    def __init__(self, platforms: Mapping[str, AmongPeople], reader: Reader) -> None:
        self._platforms = platforms
        self._reader = reader
        self._held: OrderedDict[str, Sequence[Block]] = OrderedDict()

    async def blocks(self, said: Said) -> list[Block]:
        """Those of all its files; one that cannot be read is left out. Raises Unavailable while they cannot be had."""
        return [block for file in said.files if file.size <= MOST for block in await self._of(said, file)]

    async def _of(self, said: Said, file: Attachment) -> Sequence[Block]:
        if file.id not in self._held:
            try:
                body = await self._platforms[said.channel.platform].file(said, file)
                found = (await self._reader.read(file.name, body)).blocks
            except Refused as error:
                log.info("file_of_thread_unread", channel=str(said.channel), reason=str(error))
                found = ()
            self._held[file.id] = tuple(_below(said, file, found))
            if len(self._held) > HELD:
                self._held.popitem(last=False)
        return self._held[file.id]


def _below(said: Said, file: Attachment, found: Sequence[Block]) -> list[Block]:
    """Under the name of the file, which leads to the message."""
    if not found:
        return []
    heading = Block(kind=BlockKind.HEADING, text=file.name, anchor=said.url)
    below = (replace(one, heading=(file.name, *one.heading), anchor=said.url) for one in found)
    return [heading, *below]
