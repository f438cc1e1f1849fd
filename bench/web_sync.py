"""How long a web source of many unchanged pages takes, what it asks for, and the memory that it needs.

python -m bench.web_sync [PAGES]
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from adapters.fetch.fetcher import open_fetcher
from adapters.files.reader import FileReader
from adapters.sources.web.crawl import CrawlScope
from adapters.sources.web.source import WebSource
from pipeline.ingest.ingest import IngestSummary, ingest_source
from pipeline.ingest.splitter import TokenSplitter, WordTokenizer
from storage.documents.source_state import SQLSourceMemory
from storage.open import Storage, open_storage
from tests.doubles.web_site import WebSite, html

_TEXT = "<p>Everyone gets thirty days of leave in a year, and may take five of them along into the next one.</p>"


async def serve(pages: int) -> None:
    site = WebSite()
    for number in range(pages):
        links = f'<p><a href="/docs/{number + 1}">Next</a> <a href="/docs/{number // 2}">Up</a></p>' * 20
        site.pages[f"/docs/{number}"] = html(f"Page {number}", f"<h2>Part {number}</h2>{_TEXT * 50}{links}")
    async with site.running():
        print(site.url, flush=True)
        while sys.stdin.readable() and await asyncio.to_thread(sys.stdin.readline):
            print(site.outage.requests, site.sent, flush=True)


async def sync(storage: Storage, url: str, coverage: CrawlScope) -> IngestSummary:
    reader = FileReader()
    ports = frozenset(filter(None, [urlsplit(url).port]))
    try:
        async with open_fetcher(private=True, ports=ports) as fetcher:
            source = WebSource("bench", fetcher, SQLSourceMemory(storage.database, "web:bench"), reader, coverage)
            return await ingest_source(
                source,
                storage.library,
                TokenSplitter(WordTokenizer(), tokens=200),
                None,
                lambda event: None,
                flag=lambda text: False,
            )
    finally:
        await reader.close()


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def main(pages: int) -> None:
    server = subprocess.Popen(  # noqa: ASYNC220 - before anything else runs
        [sys.executable, "-m", "bench.web_sync", "serve", str(pages)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    url = server.stdout.readline().strip()
    httpx2.get(f"{url}/docs/0", trust_env=False)

    def counts() -> list[int]:
        assert server.stdin
        assert server.stdout
        server.stdin.write("\n")
        server.stdin.flush()
        return [int(number) for number in server.stdout.readline().split()]

    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(Path(folder)) as storage:
            idle = peak()
            for coverage, what in (
                (CrawlScope(start=f"{url}/docs/0"), "crawl"),
                (CrawlScope(sitemap=f"{url}/sitemap.xml"), "sitemap"),
            ):
                for run in ("first", "unchanged"):
                    before, started, used = counts(), time.perf_counter(), time.process_time()
                    summary = await sync(storage, url, coverage)
                    took = time.perf_counter() - started
                    requests, sent = (after - earlier for after, earlier in zip(counts(), before, strict=True))
                    cpu = time.process_time() - used
                    print(
                        f"{what}, {run}: {took:.1f} s ({cpu:.1f} s of a processor), {requests} requests, {sent} sent; "
                        f"{summary.added} added, {summary.unchanged} unchanged, {summary.removed} removed, "
                        f"{len(summary.failed)} failed; peak {peak() - idle:.0f} MB above idle"
                    )
    server.terminate()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2])))
    else:
        asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 2000))
