"""Reads files in this process: where it is not about hostile ones, a child for each test only takes time."""

from __future__ import annotations

from adapters.files.child import read_format, read_leads, understood
from adapters.files.outline import Content, Leads
from adapters.files.reader import Reader
from adapters.files.worker import ReaderProcess


class ReaderHere(Reader):
    """Takes, refuses and says what the real one does, which stands in `tests/unit/adapters/files` and the journeys."""

    def __init__(self) -> None:
        self._binary = self._text = self._long = _Here()


class _Here(ReaderProcess):
    async def read(self, suffix: str, content: bytes) -> Content:
        with understood(suffix):
            return read_format(suffix, content)

    async def leads(self, suffix: str, content: bytes) -> Leads:
        with understood(suffix):
            return read_leads(suffix, content)
