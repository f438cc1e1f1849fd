"""A client of the Drive API v3, with the authentication of a service account."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from google.auth import crypt, jwt
from pydantic import Field

from adapters.fetch.fetcher import Fetcher, FetchResponse
from adapters.sources.rest_client import ResponseModel, RestClient, RestService
from pipeline.errors import Misconfigured, Unavailable

# --- A service account's key, and the access tokens that Google gives for it ----------------------

_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_DENIED = frozenset({400, 401, 403, 404})
"""Statuses for a key that is not accepted (`invalid_grant` is a 400)."""
_LIFETIME = 3600
"""Seconds that an assertion may be valid for, by Google's rules."""
_EXPIRY_MARGIN = 60
"""Seconds before its end that a token is not used any more."""


class ServiceAccount:
    """A service account and its access tokens. `key` is the JSON that Google Cloud hands out for it, or the path of a
    file that holds it. Raises Misconfigured, naming `setting`, when it is neither."""

    def __init__(self, key: str, fetcher: Fetcher, *, setting: str) -> None:
        try:
            info: dict[str, Any] = json.loads(key if key.lstrip().startswith("{") else Path(key).read_bytes())
            self._signer = crypt.RSASigner.from_service_account_info(info)  # type: ignore[no-untyped-call]
            self.email = str(info["client_email"])
            self._token_uri = str(info["token_uri"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            problem = (
                "names no readable file" if isinstance(error, OSError) else "is not the key of a Google service account"
            )
            raise Misconfigured(
                setting,
                problem,
                what_to_do="Set it to the path of the JSON file that Google Cloud gave you for the service account.",
            ) from error
        self._fetcher = fetcher
        self._token, self._expires_at = "", 0.0

    async def token(self) -> str:
        """Return an access token that is valid for the next minute. Raises Unavailable."""
        if time.time() > self._expires_at - _EXPIRY_MARGIN:
            self._token, self._expires_at = await self._request_token(int(time.time()))
        return self._token

    def invalidate(self) -> None:
        """Forget the token: the service does not take it any more."""
        self._expires_at = 0.0

    async def _request_token(self, now: int) -> tuple[str, float]:
        claims = {"iss": self.email, "scope": _SCOPE, "aud": self._token_uri, "iat": now, "exp": now + _LIFETIME}
        assertion = jwt.encode(self._signer, claims).decode()  # type: ignore[no-untyped-call]
        form = {"grant_type": _GRANT, "assertion": assertion}
        answer = await self._fetcher.fetch(self._token_uri, method="POST", form=form)
        try:
            reply = json.loads(answer.body)
            return str(reply["access_token"]), now + float(reply["expires_in"])
        except (ValueError, KeyError, TypeError) as error:
            raise Unavailable(
                "Google",
                f"gave no access token (status {answer.status})",
                permanent=True,
                denied=answer.status in _DENIED,
                what_to_do="Check that the service account's key is not deleted, and this machine's clock.",
            ) from error


# --- Requests of the Drive API --------------------------------------------------------------------

DRIVE_NAME = "Google Drive"
FOLDER_MIME = "application/vnd.google-apps.folder"
_FILE = (
    "id,name,mimeType,parents,trashed,modifiedTime,md5Checksum,size,webViewLink,driveId,permissionIds,"
    "inheritedPermissionsDisabled"
)
"""The fields of `DriveFile`."""
_SHARED = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
_PAGE_SIZE = "1000"
_FOLDERS_PER_REQUEST = 50
"""Folders listed by one request: the query is a part of the URL."""
_LIMITS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded"})
_LIMIT_SECONDS = 60.0
"""Seconds to wait: Drive counts requests by the minute, and does not say how much of it is left."""
_ERROR_MESSAGES: dict[int | str, tuple[str, str]] = {
    "accessNotConfigured": (
        "is not there for the service account",
        "Enable the Google Drive API in the service account's project.",
    )
}


class DriveFile(ResponseModel):
    """A file, a folder, or a shared drive as the folder that it is."""

    id: str
    name: str = ""
    mime: str = Field("", alias="mimeType")
    parents: tuple[str, ...] = ()
    trashed: bool = False
    modified: str = Field("", alias="modifiedTime")
    checksum: str = Field("", alias="md5Checksum")
    size: int = 0
    url: str = Field("", alias="webViewLink")
    drive: str = Field("", alias="driveId")
    permissions: frozenset[str] = Field(frozenset(), alias="permissionIds")
    has_limited_access: bool = Field(False, alias="inheritedPermissionsDisabled")


class DriveFileList(ResponseModel):
    files: tuple[DriveFile, ...] = ()
    next_token: str = Field("", alias="nextPageToken")
    incomplete: bool = Field(False, alias="incompleteSearch")


class DriveChange(ResponseModel):
    id: str = Field(alias="fileId")
    removed: bool = False
    file: DriveFile | None = None


class DriveChanges(ResponseModel):
    changes: tuple[DriveChange, ...] = ()
    next_token: str = Field("", alias="nextPageToken")
    start_token: str = Field("", alias="newStartPageToken")
    """The token for changes from now on, in the last part of a list."""


class StartToken(ResponseModel):
    token: str = Field(alias="startPageToken")


class DriveApi:
    """A client of the Drive API at `base_url` (`https://www.googleapis.com`), with the rights of the service
    account."""

    def __init__(self, fetcher: Fetcher, account: ServiceAccount, base_url: str) -> None:
        self._rest = RestClient(fetcher, _SERVICE, f"{base_url.rstrip('/')}/drive/v3", tokens=account)

    async def get_file(self, file_id: str) -> DriveFile:
        """Return a file, a folder, or a shared drive as the folder that it is. Raises RequestRejected."""
        return await self._rest.get(_path(file_id), DriveFile, fields=_FILE, supportsAllDrives="true")

    async def list_children(self, folders: Iterable[str], drive: str) -> AsyncIterator[DriveFile]:
        """Yield everything directly in `folders` and not in the bin; `drive` is the shared drive that holds them."""
        ids = list(folders)
        for start in range(0, len(ids), _FOLDERS_PER_REQUEST):
            parents = " or ".join(f"'{folder}' in parents" for folder in ids[start : start + _FOLDERS_PER_REQUEST])
            async for file in self._list_files(f"trashed = false and ({parents})", drive):
                yield file

    def list_all(self, drive: str) -> AsyncIterator[DriveFile]:
        """Yield everything in a shared drive that is not in the bin."""
        return self._list_files("trashed = false", drive)

    async def get_start_token(self, drive: str) -> str:
        """Return the page token for changes from now on."""
        query = {"supportsAllDrives": "true", **_drive_parameter(drive)}
        return (await self._rest.get("/changes/startPageToken", StartToken, **query)).token

    async def list_changes(self, token: str, drive: str) -> tuple[list[DriveChange], str]:
        """Return the changes since `token`, and the token to go on from. Raise RequestRejected when the token is not
        known any more."""
        fields = f"nextPageToken,newStartPageToken,changes(fileId,removed,file({_FILE}))"
        query = {"pageSize": _PAGE_SIZE, "fields": fields, **_SHARED, **_drive_parameter(drive)}

        async def ask(page_token: str) -> DriveChanges:
            return await self._rest.get("/changes", DriveChanges, **query, pageToken=page_token)

        parts = [part async for part in self._rest.paginate(ask, token)]
        if not (newest := parts[-1].start_token):
            raise self._rest.unexpected_answer()
        return [change for part in parts for change in part.changes], newest

    async def export(self, file_id: str, kind: str) -> bytes:
        """Return a Doc, Sheet or Slides as a file of that type, at most 10 MB. Raises RequestRejected."""
        return await self._rest.download(f"{_path(file_id)}/export", mimeType=kind)

    async def download(self, file_id: str) -> bytes:
        """Return a file as it was uploaded. Raise RequestRejected, and Refused when it is too large."""
        return await self._rest.download(_path(file_id), alt="media", supportsAllDrives="true")

    async def _list_files(self, query: str, drive: str) -> AsyncIterator[DriveFile]:
        parameters = {
            "q": query,
            "pageSize": _PAGE_SIZE,
            "fields": f"nextPageToken,incompleteSearch,files({_FILE})",
            **_SHARED,
        }
        parameters |= {"corpora": "drive", **_drive_parameter(drive)} if drive else {}

        async def ask(token: str) -> DriveFileList:
            return await self._rest.get(
                "/files", DriveFileList, **parameters, **({"pageToken": token} if token else {})
            )

        async for part in self._rest.paginate(ask):
            if part.incomplete:
                raise Unavailable(DRIVE_NAME, "listed only a part of the files")
            for file in part.files:
                yield file


def _path(file_id: str) -> str:
    return f"/files/{quote(file_id, safe='')}"


def _drive_parameter(drive: str) -> dict[str, str]:
    return {"driveId": drive} if drive else {}


def _reason(answer: FetchResponse) -> str:
    try:
        return str(json.loads(answer.body)["error"]["errors"][0]["reason"])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


def _wait(answer: FetchResponse) -> float | None:
    """Return the seconds to wait; None for a response that is no rate limit. A limit comes with status 403."""
    return _LIMIT_SECONDS if answer.status == 403 and _reason(answer) in _LIMITS else None


_SERVICE = RestService(DRIVE_NAME, _ERROR_MESSAGES, parse_reason=_reason, parse_retry_after=_wait)
