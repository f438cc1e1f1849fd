"""Download of a file that somebody sent, from its platform."""

from __future__ import annotations

from typing import Any

from adapters.chat.words import uploads as words
from adapters.fetch.fetcher import FetchResponse, open_fetcher
from adapters.files.reader import max_file_size
from pipeline.errors import Refused
from pipeline.ports import UploadRefused


def max_file_bytes(name: str, size: int) -> int:
    """Return the most bytes that a file of that name may have. Raises UploadRefused where `size` is larger."""
    limit = max_file_size(name, b"")
    if size > limit:
        raise _too_large("the file is too large", limit)
    return limit


async def download_file(url: str, limit: int, **fetching: Any) -> FetchResponse:
    """Download a file; `fetching` goes to the fetcher. Raises UploadRefused, and Unavailable."""
    try:
        async with open_fetcher(**fetching) as fetcher:
            fetched = await fetcher.fetch(url, max_bytes=limit)
    except Refused as error:
        raise _too_large(str(error), limit) from error
    if fetched.status != 200:
        raise UploadRefused(f"HTTP {fetched.status}", words.FILE_GONE)
    return fetched


def _too_large(reason: str, limit: int) -> UploadRefused:
    return UploadRefused(reason, words.TOO_LARGE, megabytes=limit // 1_000_000)
