"""Files on Slack, downloaded from Slack alone."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from adapters.chat.download import download_file, max_file_bytes
from adapters.chat.words import uploads as words
from adapters.fetch.fetcher import FetchResponse
from adapters.slack.web_client import SlackRefused, SlackWebClient
from pipeline.ports import UploadRefused
from pipeline.values import Value

HIDDEN_FILE_MODES = frozenset({"tombstone", "hidden_by_limit"})
"""Modes of files that are deleted, or older than a free plan shows."""
FILE_GONE_ERRORS = frozenset({"file_not_found", "file_deleted", "file_not_visible", "access_denied", "not_visible"})
FILES_SCOPE = "files:read"


class SlackFile(Value):
    """A file that can be downloaded."""

    name: str
    media_type: str
    url: str
    link: str
    """The address that opens it in Slack, for people who may see it there."""
    max_bytes: int
    """Bytes that it may have."""


class SlackFiles:
    def __init__(self, web: SlackWebClient, token: str, api_url: str) -> None:
        self._web = web
        self._token = token
        self._origin = files_origin(api_url)

    async def find(self, file_id: str) -> SlackFile:
        """Return Slack's current data of a file: a message may hold a stub, as in shared channels. Raises UploadRefused
        for a file that is gone or not on Slack, and Unavailable."""
        try:
            record: dict[str, Any] = (await self._web.call("files.info", file=file_id)).get("file") or {}
        except SlackRefused as refused:
            if refused.needed:
                raise UploadRefused(str(refused), words.FILES_NOT_ALLOWED, permission=refused.needed) from refused
            raise UploadRefused(str(refused), words.FILE_GONE) from refused
        if not record or record.get("mode") in HIDDEN_FILE_MODES or record.get("file_access") in FILE_GONE_ERRORS:
            raise UploadRefused("the file is deleted or hidden", words.FILE_GONE)
        url = str(record.get("url_private_download") or "")
        if record.get("is_external") or not is_same_origin(url, self._origin):
            raise UploadRefused("the file is kept elsewhere", words.FILE_ELSEWHERE, platform="Slack")
        name = str(record.get("name") or record.get("title") or "file")
        return SlackFile(
            name=name,
            media_type=str(record.get("mimetype") or ""),
            url=url,
            link=str(record.get("permalink") or ""),
            max_bytes=max_file_bytes(name, int(record.get("size") or 0)),
        )

    async def download(self, file: SlackFile) -> bytes:
        """Download a file. Raises UploadRefused, and Unavailable."""
        headers = {"authorization": f"Bearer {self._token}"}
        origin = urlsplit(self._origin)
        address_rules = {
            "origin": self._origin,
            "ports": frozenset({origin.port or 443}),
            "private": origin.scheme == "http",
        }
        fetched = await download_file(file.url, file.max_bytes, headers=headers, **address_rules)
        if _is_login_page(fetched, file, self._origin):
            raise UploadRefused("Slack asks to sign in", words.FILES_NOT_ALLOWED, permission=FILES_SCOPE)
        return fetched.body


def files_origin(api_url: str) -> str:
    """Return the origin of Slack's files: `https://files.slack.com` for `https://slack.com/api/`."""
    parts = urlsplit(api_url)
    try:
        ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return f"https://files.{parts.hostname}"
    return f"{parts.scheme}://{parts.netloc}"


def is_same_origin(url: str, origin: str) -> bool:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" == origin


def _is_login_page(fetched: FetchResponse, file: SlackFile, origin: str) -> bool:
    """Return True if Slack sent its login form instead: an ordinary page, for a token that may not read files."""
    page = fetched.headers.get("content-type", "").startswith("text/html") and "html" not in file.media_type
    return page or not is_same_origin(fetched.url, origin)
