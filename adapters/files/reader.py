"""Which reader takes which file, and the checks that come before any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePath

from adapters.files import html, markdown
from adapters.files.outline import Content
from pipeline.errors import Refused

TEXT_FORMATS: dict[str, Callable[[bytes], Content]] = {
    ".md": markdown.read_markdown,
    ".markdown": markdown.read_markdown,
    ".txt": markdown.read_text,
    ".text": markdown.read_text,
    ".log": markdown.read_text,
    ".html": html.read_html,
    ".htm": html.read_html,
}
BINARY_FORMATS: tuple[str, ...] = ()
JSON_LINES = (".jsonl", ".ndjson")
SUPPORTED = (*TEXT_FORMATS, *BINARY_FORMATS, *JSON_LINES)
MAX_TEXT_BYTES = 40_000_000
MAX_BINARY_BYTES = 200_000_000


class Reader:
    """Reads files of every supported format."""

    async def read(self, name: str, content: bytes) -> Content:
        """`content` as blocks, by the suffix of `name`.

        Raises Refused with the reason when it is of no supported format, broken, too large or without text.
        """
        suffix = PurePath(name).suffix.lower()
        if not content.strip():
            raise Refused("the file is empty", what_to_do="Leave it out, or fill it.")
        if suffix not in TEXT_FORMATS:
            raise Refused(f"{suffix or 'a file without a suffix'} is not a supported format")
        found = await asyncio.to_thread(TEXT_FORMATS[suffix], content)
        if not found.blocks:
            raise Refused("the file holds no text")
        return found

    async def close(self) -> None:
        """End the process that reads binary formats."""
