"""What a question costs over the API beside one from Python, and whether a program is told what it may not see.

python -m bench.programs [CALLS]
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx2 as httpx
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.config.tables import CollectionSettings
from bot.platforms import open_program_routes
from bot.wiring import open_citewell

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook"
QUESTIONS = (
    "How many vacation days do contractors get?",
    "What is paid for a night in a hotel?",
    "How do I ask for vacation?",
    "Who approves a new laptop?",
)
ROUNDS = 50
SECRET = "quetzalcoatlus"


async def costs(citewell: Citewell, address: str, key: str) -> None:
    """In turn, so that both have the same moment of a noisy machine."""
    direct, called = [], []
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
        for number in range(ROUNDS + 5):
            question = QUESTIONS[number % len(QUESTIONS)]
            began = time.perf_counter()
            await citewell.answer(question)
            between = time.perf_counter()
            (await client.post("/api/v1/ask", json={"question": question})).raise_for_status()
            if number >= 5:
                direct.append(between - began)
                called.append(time.perf_counter() - between)
    over = statistics.median(after - before for before, after in zip(direct, called, strict=True))
    p50 = [1000 * statistics.median(one) for one in (direct, called)]
    print(f"a question: {p50[0]:.1f} ms from Python, {p50[1]:.1f} over the API; {1000 * over:.1f} more (target 10)")


async def refusals(citewell: Citewell, address: str, calls: int) -> None:
    """Random calls of keys that may not see a collection, half of them over MCP."""
    documents = {one.collection: one.id for one in await citewell.storage.library.list_documents()}
    rng, told = random.Random(1), 0
    keys = [
        (await citewell.storage.api_keys.add(f"p{n}", grant, 6000))[1]
        for n, grant in enumerate(((), ("default",)) * 20)
    ]

    def told_of(text: str) -> bool:
        return SECRET in text

    async def over_api(key: str, count: int) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        found = 0
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
            for _ in range(count):
                what = rng.choice(("ask", "search", "passages", "documents"))
                match what:
                    case "ask":
                        answer = await client.post("/api/v1/ask", json={"question": f"What is {SECRET[:8]}?"})
                    case "search":
                        answer = await client.post("/api/v1/search", json={"text": "band of engineers"})
                    case "passages":
                        answer = await client.get("/api/v1/passages", params={"document": documents["secret"]})
                    case _:
                        answer = await client.get("/api/v1/documents")
                found += told_of(answer.text) or answer.status_code >= 500
        return found

    async def over_mcp(key: str, count: int) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        found = 0
        async with (
            httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            for _ in range(count):
                name, arguments = rng.choice(
                    (
                        ("ask", {"question": "What is the band of engineers?"}),
                        ("search", {"query": "band of engineers"}),
                        ("read", {"document": documents["secret"]}),
                    )
                )
                found += told_of((await client.call_tool(name, arguments)).model_dump_json())
        return found

    each = calls // 2 // len(keys)
    for some in (keys[:10], keys[10:20], keys[20:30], keys[30:]):
        told += sum(
            await asyncio.gather(*(over_api(key, each) for key in some), *(over_mcp(key, each) for key in some))
        )
    print(f"across audiences: {told} of {2 * each * len(keys)} calls were told what they may not see (target 0)")


async def main(calls: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "secret.md").write_text(f"# Pay\n\nThe band of engineers is {SECRET}.\n")
        settings = Settings(
            _env_file=None,  # type: ignore[call-arg] # pydantic's own
            data=folder / "data",
            model="extractive",
            collections={"secret": CollectionSettings(only=("web:group:staff",))},
        )
        async with open_citewell(settings) as citewell:
            await citewell.index([HANDBOOK])
            await citewell.index([folder / "secret.md"], collection="secret")
            async with (
                open_program_routes(citewell, url="", machine=None, tokens=None) as routes,
                UvicornServers().serve("127.0.0.1:0", routes, setting="CITEWELL_WEB") as port,
            ):
                address = f"http://127.0.0.1:{port}"
                _, key = await citewell.storage.api_keys.add("bench", (), 6000)
                await costs(citewell, address, key)
                await refusals(citewell, address, calls)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
