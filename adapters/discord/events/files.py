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
    limit = max_file_bytes(attachment.filename, attachment.size)
    address, api_address = urlsplit(attachment.url), urlsplit(api_url)
    is_beside = bool(api_url) and address.netloc == api_address.netloc
    if not is_beside and (address.scheme != "https" or address.hostname not in FILE_HOSTS):
        raise UploadRefused("the file is kept elsewhere", words.FILE_ELSEWHERE, platform="Discord")
    return (await download_file(attachment.url, limit, ports=frozenset({address.port or 443}), private=is_beside)).body
