"""The page under people: 200 reading sources, each another every ten seconds, and 20 asking, each again after two.

python -m bench.pages [SECONDS] [SECONDS BETWEEN TWO SOURCES]
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import httpx2 as httpx
import numpy as np

from bench.programs import HANDBOOK, QUESTIONS
from tests.doubles.ports import free_port

READERS, ASKERS = 200, 20
SECRET = "the secret of the proxy that says who somebody is"


def person(number: int) -> dict[str, str]:
    return {"X-Citewell-Proxy": SECRET, "X-Forwarded-User": f"person-{number}"}


class People:
    def __init__(self, address: str) -> None:
        limits = httpx.Limits(max_connections=READERS + 2 * ASKERS + 10)
        self.client = httpx.AsyncClient(base_url=address, timeout=60, trust_env=False, limits=limits)
        self.links: set[str] = set()
        self.pages: list[float] = []
        self.first: list[float] = []
        self.sentences: list[float] = []
        self.wrong = 0

    async def ask(self, number: int) -> None:
        """As a browser does: a form, the page it leads to, and its events until the answer."""
        headers = person(number)
        page = (await self.client.get("/", headers=headers)).text
        csrf = re.findall(r'name="csrf" value="([^"]+)"', page)[0]
        form = {"csrf": csrf, "once": "", "conversation": "", "question": random.choice(QUESTIONS)}
        began = time.perf_counter()
        sent = await self.client.post("/ask", data=form, headers=headers)
        path = sent.headers["location"].partition("#")[0]
        shown = (await self.client.get(path, headers=headers)).text
        self.first.append(time.perf_counter() - began)
        if 'class="answer"' not in shown:
            async with self.client.stream("GET", f"{path}/events", headers=headers) as events:
                async for line in events.aiter_lines():
                    if line.startswith("data:"):
                        shown = json.loads(line.removeprefix("data:"))
                        self.sentences.append(time.perf_counter() - began)
                        break
        else:
            self.sentences.append(self.first[-1])
        shown = (await self.client.get(path, headers=headers)).text
        self.links.update(re.findall(r'href="[^"]*(/s/[^"#]+)', shown))

    async def read(self, number: int, until: float, every: float) -> None:
        await asyncio.sleep(every * random.random())
        while time.perf_counter() < until:
            link = random.choice(sorted(self.links))
            began = time.perf_counter()
            answer = await self.client.get(link, headers=person(number))
            took = time.perf_counter() - began
            self.pages.append(took)
            self.wrong += answer.status_code != 200
            await asyncio.sleep(max(0.0, every - took))

    async def keep_asking(self, number: int, until: float) -> None:
        await asyncio.sleep(2 * random.random())
        while time.perf_counter() < until:
            await self.ask(number)
            await asyncio.sleep(2)


async def measured(address: str, seconds: float, every: float) -> None:
    people = People(address)
    for number in range(8):
        await people.ask(number)
    quiet = people.sentences[2:]
    people.first, people.sentences = [], []
    until = time.perf_counter() + seconds
    reading = [people.read(number, until, every) for number in range(READERS)]
    await asyncio.gather(*reading, *(people.keep_asking(number, until) for number in range(ASKERS)))
    p50, p95 = 1000 * np.percentile(people.pages, [50, 95])
    print(
        f"{len(people.pages)} source pages: p50 {p50:.1f} ms, p95 {p95:.1f} (target 50); {people.wrong} were not shown"
    )
    print(f"first checked sentence, alone: {1000 * np.median(quiet):.0f} ms after the click (target 150)")
    print(f"the same among all of them, {len(people.sentences)} times: {1000 * np.median(people.sentences):.0f} ms")
    await people.client.aclose()


def main(seconds: float, every: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        environment = {
            "PATH": os.environ["PATH"],
            "CITEWELL_DATA": f"{name}/data",
            "CITEWELL_MODEL": "extractive",
            "CITEWELL_WEB": f"127.0.0.1:{port}",
            "CITEWELL_WEB_URL": f"http://127.0.0.1:{port}",
            "CITEWELL_WEB_PROXY_SECRET": SECRET,
        }
        citewell = [sys.executable, "-m", "bot"]
        here = Path(__file__).parents[1]
        subprocess.run([*citewell, "index", str(HANDBOOK)], env=environment, cwd=here, check=True, capture_output=True)
        with subprocess.Popen([*citewell, "run"], env=environment, cwd=here, stdout=subprocess.DEVNULL) as running:
            try:
                _wait(f"http://127.0.0.1:{port}/static/site.css")
                asyncio.run(measured(f"http://127.0.0.1:{port}", seconds, every))
            finally:
                running.terminate()


def _wait(address: str) -> None:
    for _ in range(300):
        with suppress(httpx.TransportError):
            httpx.get(address, trust_env=False)
            return
        time.sleep(0.1)
    raise SystemExit("it did not begin to serve")


if __name__ == "__main__":
    given = [float(one) for one in sys.argv[1:]]
    main(*(given + [30.0, 10.0][len(given) :]))
