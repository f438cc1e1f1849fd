"""The requests of the Drive API v3 that reading needs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from typing import Any
from urllib.parse import quote, urlencode

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.files.reader import MAX_TEXT_BYTES
from adapters.sources.answers import Parts
from adapters.sources.google_drive.service_account import ServiceAccount
from pipeline.errors import Unavailable

Json = dict[str, Any]
FOLDER = "application/vnd.google-apps.folder"
_FILE = (
    "id,name,mimeType,parents,trashed,modifiedTime,md5Checksum,size,webViewLink,driveId,permissionIds,"
    "inheritedPermissionsDisabled"
)
_SHARED = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
_PAGE = "1000"
_PARENTS = 50
"""Folders listed by one request: the query is a part of the address."""
_LIMITS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded"})
_HINTS = {"accessNotConfigured": "Enable the Google Drive API in the service account's project."}
_ATTEMPTS = 5
_PAUSE = wait_random_exponential(multiplier=0.5, max=16)


class Rejected(Unavailable):
    """Drive did not do what it was asked, for the `reason` it names."""

    def __init__(self, status: int, reason: str) -> None:
        limited = reason in _LIMITS
        super().__init__(
            "Google Drive",
            f"status {status} {reason}".rstrip(),
            retry_after=60.0 if limited else None,
            permanent=not limited,
            what_to_do=_HINTS.get(reason, ""),
        )
        self.status = status
        self.reason = reason


class DriveApi:
    """What the service account may see at `base_url` (`https://www.googleapis.com`)."""

    def __init__(self, fetcher: Fetcher, account: ServiceAccount, base_url: str) -> None:
        self._fetcher = fetcher
        self._account = account
        self._base = f"{base_url.rstrip('/')}/drive/v3"

    async def file(self, file_id: str) -> Json:
        """A file, a folder, or a shared drive as the folder that it is. Raises Rejected."""
        return await self._json(f"files/{quote(file_id, safe='')}", fields=_FILE, supportsAllDrives="true")

    async def inside(self, folders: Iterable[str], drive: str) -> AsyncIterator[Json]:
        """All that lies directly in `folders` and not in the bin; `drive` is the shared drive that holds them."""
        ids = list(folders)
        for start in range(0, len(ids), _PARENTS):
            parents = " or ".join(f"'{folder}' in parents" for folder in ids[start : start + _PARENTS])
            async for found in self._listed(f"trashed = false and ({parents})", drive):
                yield found

    def everything(self, drive: str) -> AsyncIterator[Json]:
        """All of a shared drive that is not in the bin."""
        return self._listed("trashed = false", drive)

    async def start(self, drive: str) -> str:
        """The page token of what changes from now on."""
        found = await self._json("changes/startPageToken", supportsAllDrives="true", **_of(drive))
        return str(found["startPageToken"])

    async def changes(self, token: str, drive: str) -> tuple[list[Json], str]:
        """What changed since `token`, and the token to go on from. Raises Rejected when it is not known any more."""
        found: list[Json] = []
        parts = Parts("Google Drive")
        fields = f"nextPageToken,newStartPageToken,changes(fileId,removed,file({_FILE}))"
        while True:
            parts.follow(token)
            more = {"pageToken": token, "pageSize": _PAGE, "fields": fields, **_SHARED, **_of(drive)}
            page = await self._json("changes", **more)
            found += page.get("changes", ())
            if "newStartPageToken" in page:
                return found, str(page["newStartPageToken"])
            token = str(page["nextPageToken"])

    async def export(self, file_id: str, kind: str) -> bytes:
        """A Doc, Sheet or Slides as a file of that type, at most 10 MB. Raises Rejected."""
        return (await self._called(f"files/{quote(file_id, safe='')}/export", mimeType=kind)).body

    async def download(self, file_id: str) -> bytes:
        """A file as it was uploaded. Raises Rejected, and Refused when it is too large."""
        query = {"alt": "media", "supportsAllDrives": "true"}
        return (await self._called(f"files/{quote(file_id, safe='')}", **query)).body

    async def _listed(self, query: str, drive: str) -> AsyncIterator[Json]:
        more = {"corpora": "drive", **_of(drive)} if drive else {}
        fields = f"nextPageToken,incompleteSearch,files({_FILE})"
        token, parts = "", Parts("Google Drive")
        while True:
            parts.follow(token)
            page_token = {"pageToken": token} if token else {}
            page = await self._json("files", q=query, pageSize=_PAGE, fields=fields, **_SHARED, **more, **page_token)
            if page.get("incompleteSearch"):
                raise Unavailable("Google Drive", "listed only a part of the files")
            for found in page.get("files", ()):
                yield found
            token = page.get("nextPageToken", "")
            if not token:
                return

    async def _json(self, path: str, **query: str) -> Json:
        try:
            found: Json = json.loads((await self._called(path, **query)).body)
        except ValueError as error:
            raise Unavailable("Google Drive", "answered with something that is not JSON") from error
        return found

    async def _called(self, path: str, **query: str) -> Fetched:
        retrying = AsyncRetrying(
            retry=retry_if_exception(_worth_another), stop=stop_after_attempt(_ATTEMPTS), wait=_PAUSE, reraise=True
        )
        return await retrying(self._once, f"{self._base}/{path}?{urlencode(query)}")

    async def _once(self, url: str) -> Fetched:
        headers = {"authorization": f"Bearer {await self._account.token()}"}
        answer = await self._fetcher.fetch(url, headers=headers, most=MAX_TEXT_BYTES)
        if answer.status == 200:
            return answer
        if answer.status == 401:
            self._account.expire()
        raise Rejected(answer.status, _reason(answer.body))


def _of(drive: str) -> dict[str, str]:
    return {"driveId": drive} if drive else {}


def _reason(body: bytes) -> str:
    """What the service calls the error, one word."""
    try:
        return str(json.loads(body)["error"]["errors"][0]["reason"])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


def _worth_another(error: BaseException) -> bool:
    return isinstance(error, Rejected) and (error.reason in _LIMITS or error.status == 401)
