"""The part of the Drive API v3 that reads, on loopback, as strict as its documentation."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from aiohttp import web

from tests.doubles.google_drive.drive import EXPORTS, FOLDER, GOOGLE, Drive, File, Json
from tests.doubles.google_drive.oauth import TokenEndpoint
from tests.doubles.outage import Service

_SHARED = {"includeItemsFromAllDrives", "supportsAllDrives"}
_FILES = {"q", "fields", "pageSize", "pageToken", "corpora", "driveId", *_SHARED}
_CHANGES = {"fields", "pageSize", "pageToken", "driveId", *_SHARED}
_QUERY = re.compile(r"trashed ?= ?false(?: and \((.+)\))?")
_PARENT = re.compile(r"'([\w-]+)' in parents")
_EXPORT_LIMIT = 10_000_000


class GoogleDrive(Service):
    def __init__(self, page: int = 1000) -> None:
        super().__init__()
        self.drive = Drive()
        self.oauth = TokenEndpoint()
        self.page = page
        """The most that one page of a list holds."""
        self.limited = 0
        """How many more requests get 403 with the reason userRateLimitExceeded."""
        self.first_change = 0
        """Page tokens before this one are not known any more."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/token", self.oauth.answer)
        router.add_get("/drive/v3/files", self._signed(self._list, _FILES))
        router.add_get("/drive/v3/files/{id}", self._signed(self._get, {"fields", "alt", "supportsAllDrives"}))
        router.add_get("/drive/v3/files/{id}/export", self._signed(self._export, {"mimeType"}))
        router.add_get("/drive/v3/changes", self._signed(self._changes, _CHANGES))
        router.add_get("/drive/v3/changes/startPageToken", self._signed(self._start, {"driveId", *_SHARED}))
        router.add_get("/{kind}/d/{id}/{page}", self._open)

    @property
    def key(self) -> Json:
        """The service account's key file."""
        return self.oauth.key(self.url)

    @property
    def asked(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [path.split()[1].split("?")[0] for path in self.outage.paths]

    def _signed(
        self, handler: Callable[[web.Request], Awaitable[web.Response]], known: set[str]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def checked(request: web.Request) -> web.Response:
            if self.limited:
                self.limited -= 1
                return _error(403, "userRateLimitExceeded", "User Rate Limit Exceeded")
            if not self.oauth.knows(request):
                return _error(401, "authError", "Invalid Credentials")
            if unknown := set(request.query) - known:
                return _error(400, "badRequest", f"Unknown name {min(unknown)}")
            return await handler(request)

        return checked

    async def _list(self, request: web.Request) -> web.Response:
        query = _QUERY.fullmatch(request.query.get("q", ""))
        if not query:
            return _error(400, "invalid", "Invalid Value", location="q")
        drive = request.query.get("driveId", "")
        if bool(drive) != (request.query.get("corpora") == "drive") or (drive and not _shared(request)):
            return _error(400, "invalid", "The specified corpora, driveId and includeItemsFromAllDrives do not agree.")
        parents = set(_PARENT.findall(query.group(1) or ""))
        found = [
            file
            for file in self.drive.files.values()
            if not self.drive.in_trash(file)
            and (not parents or file.parent in parents)
            and (file.drive == drive if drive else not file.drive or _shared(request))
            and file.parent
        ]
        begin = int(request.query.get("pageToken", 0))
        end = begin + min(self.page, int(request.query.get("pageSize", 100)))
        body: Json = {"kind": "drive#fileList", "incompleteSearch": False}
        body["files"] = [self._resource(file) for file in found[begin:end]]
        if end < len(found):
            body["nextPageToken"] = str(end)
        return web.json_response(_chosen(body, request.query.get("fields", "files(kind,id,name,mimeType)")))

    async def _get(self, request: web.Request) -> web.Response:
        file = self.drive.files.get(request.match_info["id"])
        if file is None or (file.drive and request.query.get("supportsAllDrives") != "true"):
            return _error(404, "notFound", f"File not found: {request.match_info['id']}.", location="fileId")
        if request.query.get("alt") != "media":
            return web.json_response(
                _chosen(self._resource(file), request.query.get("fields", "kind,id,name,mimeType"))
            )
        if file.mime.startswith(GOOGLE):
            return _error(403, "fileNotDownloadable", "Only files with binary content can be downloaded. Use Export.")
        return web.Response(body=file.content[""], content_type=file.mime)

    async def _export(self, request: web.Request) -> web.Response:
        file = self.drive.files.get(request.match_info["id"])
        if file is None:
            return _error(404, "notFound", f"File not found: {request.match_info['id']}.", location="fileId")
        kind = request.query.get("mimeType", "")
        if file.mime not in EXPORTS:
            return _error(403, "fileNotExportable", "Export only supports Docs Editors files.")
        if kind not in EXPORTS[file.mime]:
            return _error(400, "badRequest", "The requested conversion is not supported.", location="convertTo")
        content = file.content.get(kind, b"")
        if len(content) > _EXPORT_LIMIT:
            return _error(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
        return web.Response(body=content, content_type=kind)

    async def _start(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"kind": "drive#startPageToken", "startPageToken": str(self.first_change + len(self.drive.log))}
        )

    async def _changes(self, request: web.Request) -> web.Response:
        begin = int(request.query.get("pageToken", "-1")) - self.first_change
        if not 0 <= begin <= len(self.drive.log):
            return _error(400, "invalid", "Invalid Value", location="pageToken")
        end = begin + min(self.page, int(request.query.get("pageSize", 100)))
        body: Json = {"kind": "drive#changeList"}
        body["changes"] = [found for found in map(self._change(request), self.drive.log[begin:end]) if found]
        if end < len(self.drive.log):
            body["nextPageToken"] = str(self.first_change + end)
        else:
            body["newStartPageToken"] = str(self.first_change + len(self.drive.log))
        return web.json_response(_chosen(body, request.query.get("fields", "*")))

    def _change(self, request: web.Request) -> Callable[[str], Json | None]:
        drive = request.query.get("driveId", "")

        def change(file_id: str) -> Json | None:
            file = self.drive.files.get(file_id)
            found: Json = {"kind": "drive#change", "changeType": "file", "fileId": file_id, "removed": file is None}
            if file is None:
                return found
            if file.drive != drive and (drive or not _shared(request)):
                return None
            return found | {"file": self._resource(file)}

        return change

    def _resource(self, file: File) -> Json:
        return self.drive.resource(file, self.url)

    async def _open(self, request: web.Request) -> web.Response:
        file = self.drive.files.get(request.match_info["id"])
        if file is None or self.drive.in_trash(file) or file.mime == FOLDER:
            return web.Response(status=404)
        return web.Response(body=file.content.get("text/plain", b""), content_type="text/plain")


def _shared(request: web.Request) -> bool:
    return all(request.query.get(name) == "true" for name in _SHARED)


def _error(code: int, reason: str, message: str, *, location: str = "", **more: Json) -> web.Response:
    found = {"domain": "global", "reason": reason, "message": message} | ({"location": location} if location else {})
    return web.json_response(
        {"error": {"code": code, "message": message, "errors": [found]}}, status=code, headers=more.get("headers")
    )


def _chosen(body: Json, mask: str) -> Json:
    """The fields that a mask such as `a,b(c,d(e))` names."""
    if mask == "*":
        return body
    found: Json = {}
    for name, inner in re.findall(r"(\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?", mask):
        if name in body:
            value = body[name]
            if inner:
                value = [_chosen(each, inner) for each in value] if isinstance(value, list) else _chosen(value, inner)
            found[name] = value
    return found
