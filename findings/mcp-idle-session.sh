#!/usr/bin/env bash
# mcp 2.3.0 (the Python SDK of the Model Context Protocol): a session with an open event stream is never idle.
#
# What: StreamableHTTPSessionManager(session_idle_timeout=N) ends sessions on which nothing was asked for N seconds. A client
#   that keeps the standing stream of the specification open (GET, "listening for messages from the server"), as editors do
#   while they run, asks nothing either.
# Expected: both sessions below, on which nothing is asked for four times as long, are ended (404).
# Seen: the one without a stream is ended; the one with a stream lives as long as its stream.
# Who is hurt: whoever serves a team. Every editor that is open all day holds a session all day, whatever the timeout says,
#   and `max_sessions` fills with sessions of people who went home.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0 uvicorn==0.54.0 httpx==0.28.1
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import contextlib
import socket

import httpx
import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

IDLE = 1.0
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}


async def begin(client: httpx.AsyncClient) -> dict[str, str]:
    answer = await client.post("/", json=BEGIN, headers=HEADERS)
    headers = {**HEADERS, "mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
    await client.post("/", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    return headers


async def ping(client: httpx.AsyncClient, headers: dict[str, str]) -> int:
    return (await client.post("/", json={"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers=headers)).status_code


async def main() -> None:
    manager = StreamableHTTPSessionManager(Server("s"), session_idle_timeout=IDLE)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(manager.handle_request, interface="asgi3", log_level="error", lifespan="off"))
    async with manager.run():
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.05)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, timeout=30) as client, contextlib.AsyncExitStack() as stack:
            quiet, listening = await begin(client), await begin(client)
            await stack.enter_async_context(client.stream("GET", "/", headers=listening))
            await asyncio.sleep(4 * IDLE)
            statuses = await ping(client, quiet), await ping(client, listening)
        server.should_exit = True
        await serving
    print("after four times the idle timeout: without a stream", statuses[0], "- with an open stream", statuses[1])
    assert statuses == (404, 200), "the behaviour has changed"


asyncio.run(main())
PYTHON
