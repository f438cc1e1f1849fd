"""Citewell's side: `index DOCUMENTS FOLDER`, `fill PASSAGES FOLDER`, `ask QUESTIONS FOLDER`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.beside.side import Found, on_one_core, tell, timed
from bench.filling import fill
from bench.run import settings
from bench.synthetic import Corpus
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import SearchPlan, replace


def searching(folder: Path) -> Settings:
    """Without the second reader, which LlamaIndex has none of: `bench/beside/ranking.py` sets that beside its like."""
    return replace(settings(folder), reader="none")


async def index(documents: Path, folder: Path) -> float:
    """Seconds of processor time, from the file to what `citewell run` searches."""
    async with open_citewell(searching(folder)) as citewell:
        began = time.process_time()
        await citewell.index([documents], prefix="")
        await citewell.storage.vectors.sync()
        return time.process_time() - began


async def ask(questions: Path, folder: Path) -> Found:
    async with open_citewell(searching(folder)) as citewell:
        everything = await citewell.all_collections()

        async def retrieve(question: str) -> Sequence[str]:
            found = await citewell.retriever.retrieve(SearchPlan(question=question), everything)
            return [passage.document.id.removeprefix("jsonl:") for passage in found.nearest]

        async def settled() -> None:
            await citewell.storage.vectors.sync()
            await citewell.storage.index.read_vocabulary()  # as after some hundred searches
            await citewell.storage.index.read_postings()

        return await timed(retrieve, questions, settled)


async def main(what: str, given: str, folder: Path) -> None:
    match what:
        case "index":
            tell(await index(Path(given), folder))
        case "fill":
            await fill(Corpus(int(given)), folder)
        case "ask":
            tell(await ask(Path(given), folder))


if __name__ == "__main__":
    on_one_core()
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
