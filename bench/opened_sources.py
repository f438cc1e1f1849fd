"""What a page of a source costs, and whether any shows what its reader may not see.

python -m bench.opened_sources [REQUESTS]
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from adapters.web.context import Visitor
from bench.prose import documents
from pipeline.values import Actor, Readers
from storage.settings import rotate_link_key
from tests.doubles.page import OpenPage, open_page, with_page

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook"
PAGES = 400
SECRET = "The secret is kept here."
"""Stands in what only hr may see, and nowhere else."""
TABLE = "| City | Rate | Breakfast |\n| --- | --- | --- |\n"


async def show_costs(folder: Path) -> None:
    """Bytes and milliseconds of a page of a long text and of a long table, each at another passage."""
    prose = "".join(documents(HANDBOOK, 60_000))
    rows = "".join(f"| City {number} | {number} | {number % 9} |\n" for number in range(5_000))
    for name, text in {"prose": prose, "table": f"# Rates\n\n{TABLE}{rows}"}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        async with open_page(with_page(folder / "data")) as page:
            await page.citewell.index([folder / f"{name}.md"])
            document = next(one for one in await page.citewell.storage.library.list_documents() if name in one.filename)
            total = (await page.excerpt(document.id)).total
            links = [await page.link(document.id, position=number * 37 % total) for number in range(PAGES)]
            sizes, took = [], []
            for link in links:
                began = time.perf_counter()
                sizes.append(len((await page.get(link)).content))
                took.append((time.perf_counter() - began) * 1000)
        p50, p95 = np.percentile(took, [50, 95])
        print(f"{name}: {total} passages; p50 {p50:.1f} ms, p95 {p95:.1f} ms; at most {max(sizes)} bytes")


async def show_refusals(folder: Path, requests: int) -> None:
    """How requests end that bring links of others, spliced and old ones, across audiences."""
    collections = {"hr": {"only": ["slack:T1:C1"]}, "was": {"public": True}, "open": {}}
    now = {**collections, "was": {"only": ["slack:T1:C1"]}}
    for name in collections:
        (folder / f"{name}.md").write_text(f"# {name}\n\n{SECRET if name != 'open' else 'The door is open.'}\n")
    async with open_page(with_page(folder / "closed", collections=collections)) as page:
        for name in collections:
            await page.citewell.index([folder / f"{name}.md"], collection=name)
        rotated = await _tokens(page)
        await rotate_link_key(page.citewell.storage.database)
        tokens = await _tokens(page)
    drawn = random.Random(1)
    ends: Counter[int] = Counter()
    shown = 0
    for who in (None, _outsider()):
        async with open_page(with_page(folder / "closed", collections=now, originals=True), visitor=who) as page:
            valid = [tokens["was"], *([tokens["hr"]] if who else [])]
            for _ in range(requests // 2):
                token = _drawn(drawn, [*valid, *rotated.values()], [*tokens.values(), *rotated.values()], tokens["hr"])
                query = {"at": drawn.randrange(-1, 3)}
                answer = await page.client.get(f"/s/{token}{drawn.choice(['', '', '/original'])}", params=query)
                ends[answer.status_code] += 1
                shown += SECRET in answer.text
    told = ", ".join(f"{status}: {count}" for status, count in sorted(ends.items()))
    print(f"{shown} of {requests} requests across audiences were answered with a text ({told})")


async def _tokens(page: OpenPage) -> dict[str, str]:
    found = await page.citewell.storage.library.list_documents()
    return {one.collection: (await page.link(one.id)).split("/s/")[1].partition("#")[0] for one in found}


def _outsider() -> Visitor:
    """Somebody who signed in, and is in none of the groups."""
    groups = frozenset({"web:page"})
    return Visitor(
        person="web:ann", name="Ann", readers=Readers(groups=groups), actor=Actor(person="web:ann"), csrf="c"
    )


def _drawn(drawn: random.Random, closed: list[str], parts: list[str], secret: str) -> str:
    """A link that must open nothing secret: one that is closed, or one that was put together or changed."""
    if drawn.random() < 0.4:
        return drawn.choice(closed)
    one, two = drawn.choice(parts), drawn.choice(parts)
    cut = drawn.randrange(1, len(secret) - 1)
    spliced = [one[:cut] + two[cut:], f"{one.partition('.')[0]}.{two.partition('.')[2]}", one[:cut], two[cut:]]
    made = drawn.choice(spliced)
    return f"{made}x" if made == secret else made


async def main(requests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await show_costs(Path(folder))
        await show_refusals(Path(folder), requests)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
