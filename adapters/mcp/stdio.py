"""MCP over standard input and output, for the person at the machine."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from adapters.http.caller import Caller
from adapters.mcp.server import Context, instructions, server, told
from pipeline.ports import Reading
from pipeline.rules.access import OPERATOR
from pipeline.values import Readers


async def serve(reading: Reading) -> None:
    """Until whoever started it closes the input."""

    async def operator() -> Caller:
        audience = await reading.audience(Readers(groups=frozenset({OPERATOR})))
        return Caller(id=OPERATOR, name="operator", audience=audience)

    async def who(_: Context) -> Caller:
        return await operator()

    told.set(await instructions(reading, await operator()))
    made = server(reading, who)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
