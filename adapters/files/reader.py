"""Which reader takes which file, and the checks that come before any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePath

from adapters.files.csv import read_csv
from adapters.files.html import read_html
from adapters.files.markdown import read_markdown, read_text
from adapters.files.outline import Content
from adapters.files.rst import read_rst
from adapters.files.worker import WALL_SECONDS, Worker
from pipeline.errors import Refused

TEXT_FORMATS: dict[str, Callable[[bytes], Content]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".text": read_text,
    ".rst": read_rst,
    ".html": read_html,
    ".htm": read_html,
    ".csv": read_csv,
    ".tsv": read_csv,
}
BINARY_FORMATS = tuple(WALL_SECONDS)
JSON_LINES = (".jsonl", ".ndjson")
SUPPORTED = (*TEXT_FORMATS, *BINARY_FORMATS, *JSON_LINES)
MAX_TEXT_BYTES = 40_000_000
MAX_BINARY_BYTES = 200_000_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARTS = {b"word/document.xml": ".docx", b"ppt/presentation.xml": ".pptx", b"xl/workbook.xml": ".xlsx"}


class Reader:
    """Reads files of every supported format: text in this process, binary formats in a child."""

    def __init__(self, worker: Worker | None = None) -> None:
        self._worker = worker or Worker()

    async def read(self, name: str, content: bytes) -> Content:
        """`content` as blocks, by what it is and else by the suffix of `name`.

        Raises Refused with the reason when it is of no supported format, broken, too large or without text.
        """
        suffix = _format(name, content)
        _check_size(content, MAX_BINARY_BYTES if suffix in BINARY_FORMATS else MAX_TEXT_BYTES)
        if suffix in BINARY_FORMATS:
            found = await self._worker.read(suffix, content)
        else:
            found = await asyncio.to_thread(_read_text_format, suffix, content)
        if not found.has_text:
            raise Refused("the file holds no text", what_to_do="Leave it out, or fill it.")
        return found

    async def close(self) -> None:
        """End the child process."""
        await self._worker.close()


def _format(name: str, content: bytes) -> str:
    """The suffix of the format that `content` is in."""
    suffix = PurePath(name).suffix.lower()
    if content.startswith(b"%PDF-"):
        return ".pdf"
    if content.startswith(b"PK\x03\x04"):
        suffix = next((found for part, found in _PARTS.items() if part in content), suffix)
    elif content.startswith(_OLE):
        raise Refused(
            "the file is protected by a password or of an older Office format",
            what_to_do="Remove the password, or save it as .docx, .pptx or .xlsx.",
        )
    if suffix not in TEXT_FORMATS and suffix not in BINARY_FORMATS:
        raise Refused(
            f"{suffix or 'a name without a suffix'} is not a supported format",
            what_to_do=f"Supported are {', '.join(SUPPORTED)}.",
        )
    return suffix


def _check_size(content: bytes, most: int) -> None:
    if not content.strip():
        raise Refused("the file is empty", what_to_do="Leave it out, or fill it.")
    if len(content) > most:
        raise Refused(f"the file is larger than {most // 1_000_000} MB", what_to_do="Split it into several files.")


def _read_text_format(suffix: str, content: bytes) -> Content:
    try:
        return TEXT_FORMATS[suffix](content)
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"the file is not understood as {suffix}", what_to_do="Open and save it again.") from error
