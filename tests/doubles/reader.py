"""Reads files in this process: where it is not about hostile ones, a child for each test only takes time."""

from __future__ import annotations

from adapters.files.content import PageLinks, ParsedFile
from adapters.files.reader import FileReader
from adapters.files.reader_process import ReaderProcess
from adapters.files.reader_worker import read_format, read_links, refuse_parse_errors


class ReaderHere(FileReader):
    """Takes, refuses and says what the real one does, which stands in `tests/unit/adapters/files` and the journeys."""

    def __init__(self) -> None:
        self._binary = self._text = self._long = _Here()


class _Here(ReaderProcess):
    async def read(self, suffix: str, content: bytes) -> ParsedFile:
        with refuse_parse_errors(suffix):
            return read_format(suffix, content)

    async def read_links(self, suffix: str, content: bytes) -> PageLinks:
        with refuse_parse_errors(suffix):
            return read_links(suffix, content)
