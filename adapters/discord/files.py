"""Attachments, downloaded from Discord alone."""

from __future__ import annotations

from urllib.parse import urlsplit

import discord

from adapters.fetch.fetcher import open_fetcher
from adapters.files.reader import largest
from adapters.replies import knowledge as words
from pipeline.errors import Refused
from pipeline.ports import NotAdded

HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
"""Where Discord keeps what people attach."""


async def download(attachment: discord.Attachment, api_url: str) -> bytes:
    """With an `api_url` of the operator's, files lie beside it. Raises NotAdded, and Unavailable."""
    most = largest(attachment.filename, b"")
    if attachment.size > most:
        raise NotAdded("the file is too large", words.TOO_LARGE, megabytes=most // 1_000_000)
    here, own = urlsplit(attachment.url), urlsplit(api_url)
    beside = bool(api_url) and here.netloc == own.netloc
    if not beside and (here.scheme != "https" or here.hostname not in HOSTS):
        raise NotAdded("the file is kept elsewhere", words.ELSEWHERE, platform="Discord")
    try:
        async with open_fetcher(ports=frozenset({here.port or 443}), private=beside) as fetcher:
            fetched = await fetcher.fetch(attachment.url, most=most)
    except Refused as error:
        raise NotAdded(str(error), words.TOO_LARGE, megabytes=most // 1_000_000) from error
    if fetched.status != 200:
        raise NotAdded(f"HTTP {fetched.status}", words.GONE)
    return fetched.body
