"""The bytes of a file that somebody sent, from where its platform keeps it."""

from __future__ import annotations

from typing import Any

from adapters.chat.words import uploads as words
from adapters.fetch.fetcher import FetchResponse, open_fetcher
from adapters.files.reader import max_file_size
from pipeline.errors import Refused
from pipeline.ports import UploadRefused


def max_file_bytes(name: str, size: int) -> int:
    """Bytes that a file of that name may have. Raises NotAdded for one that is said to have more."""
    most = max_file_size(name, b"")
    if size > most:
        raise _too_large("the file is too large", most)
    return most


async def download_file(url: str, most: int, **fetching: Any) -> FetchResponse:
    """`fetching` is for the fetcher. Raises NotAdded, and Unavailable."""
    try:
        async with open_fetcher(**fetching) as fetcher:
            fetched = await fetcher.fetch(url, max_bytes=most)
    except Refused as error:
        raise _too_large(str(error), most) from error
    if fetched.status != 200:
        raise UploadRefused(f"HTTP {fetched.status}", words.FILE_GONE)
    return fetched


def _too_large(said: str, most: int) -> UploadRefused:
    return UploadRefused(said, words.TOO_LARGE, megabytes=most // 1_000_000)
