"""Attachments, downloaded from Discord alone."""

from __future__ import annotations

from urllib.parse import urlsplit

import discord

from adapters.chat.download import download_file, max_file_bytes
from adapters.chat.words import uploads as words
from pipeline.ports import UploadRefused

FILE_HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
"""Hosts of attachments."""


async def download_attachment(attachment: discord.Attachment, api_url: str) -> bytes:
    """Download an attachment. With an operator's own `api_url`, files may lie beside it. Raises UploadRefused, and
    Unavailable."""
    most = max_file_bytes(attachment.filename, attachment.size)
    here, own = urlsplit(attachment.url), urlsplit(api_url)
    beside = bool(api_url) and here.netloc == own.netloc
    if not beside and (here.scheme != "https" or here.hostname not in FILE_HOSTS):
        raise UploadRefused("the file is kept elsewhere", words.FILE_ELSEWHERE, platform="Discord")
    return (await download_file(attachment.url, most, ports=frozenset({here.port or 443}), private=beside)).body
