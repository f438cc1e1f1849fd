"""Attachments, downloaded from Discord alone."""

from __future__ import annotations

from urllib.parse import urlsplit

import discord

from adapters.chat.download import download, room
from adapters.chat.words import knowledge as words
from pipeline.ports import NotAdded

HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
"""Where Discord keeps what people attach."""


async def attached(attachment: discord.Attachment, api_url: str) -> bytes:
    """With an `api_url` of the operator's, files lie beside it. Raises NotAdded, and Unavailable."""
    most = room(attachment.filename, attachment.size)
    here, own = urlsplit(attachment.url), urlsplit(api_url)
    beside = bool(api_url) and here.netloc == own.netloc
    if not beside and (here.scheme != "https" or here.hostname not in HOSTS):
        raise NotAdded("the file is kept elsewhere", words.ELSEWHERE, platform="Discord")
    return (await download(attachment.url, most, ports=frozenset({here.port or 443}), private=beside)).body
