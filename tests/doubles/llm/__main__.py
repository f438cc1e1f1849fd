"""`python -m tests.doubles.llm SECONDS`: the double in a process of its own, behaving; prints its address."""

from __future__ import annotations

import asyncio
import sys

from tests.doubles.llm.grounded import quoting
from tests.doubles.llm.server import LlmServer


async def main(seconds: float) -> None:
    async with LlmServer(otherwise=quoting(seconds=seconds)).running() as server:
        print(server.url, flush=True)  # noqa: T201 - the address is the output
        await asyncio.Event().wait()


asyncio.run(main(float(sys.argv[1])))
