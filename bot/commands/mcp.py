"""`citewell mcp`."""

from __future__ import annotations

from bot.commands.terminal import Data, run, settings


def mcp(data: Data = None) -> None:
    """Serve the documents to an editor over MCP, on standard input and output, for the person at the machine."""
    found = settings(data)

    async def work() -> None:
        from adapters.mcp.server import serve
        from bot.wiring import open_citewell

        async with open_citewell(found) as citewell:
            await serve(citewell.reading)

    run(work())
