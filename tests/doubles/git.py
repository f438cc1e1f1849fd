"""A real git server: `git http-backend` behind HTTP, over loopback."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from tests.doubles.outage import Outage, served


class Repository:
    """A work tree that people commit to, and the bare repository at `url` that they push to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "work"
        self.outage = Outage()
        self.url = ""
        self.token = ""
        """With it, only requests that bear it are let in."""
        self.redirect_to = ""
        self.sent = 0
        """Bytes of all responses."""
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "team.git")
        git(folder / "team.git", "config", "uploadpack.allowFilter", "true")
        git(folder, "clone", "--quiet", "team.git", "work")
        git(self.tree, "checkout", "--quiet", "-b", "main")

    def commit(self, message: str = "A change") -> None:
        """Push all that is in the work tree."""
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "--allow-empty", "-m", message)
        git(self.tree, "push", "--quiet", "origin", "HEAD")

    async def backend(self, request: web.Request) -> web.StreamResponse:
        if self.redirect_to:
            raise web.HTTPFound(self.redirect_to + request.path_qs)
        if self.token and request.headers.get("Authorization") != self.token:
            raise web.HTTPUnauthorized(headers={"WWW-Authenticate": "Basic"})
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "PATH_INFO": request.path,
            "QUERY_STRING": request.query_string,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        }
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await process.communicate(await request.content.read())
        self.sent += len(said)
        head, _, body = said.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200 OK").split()[0])
        return web.Response(status=status, headers=headers, body=body)


@asynccontextmanager
async def repository(folder: Path) -> AsyncIterator[Repository]:
    found = Repository(folder)
    app = web.Application(middlewares=[found.outage.middleware], client_max_size=0)
    app.router.add_route("*", "/{path:.*}", found.backend)
    async with served(app) as address:
        found.url = f"{address}/team.git"
        yield found


def git(folder: Path, *words: str) -> str:
    person = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **person, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout
