"""What the product finds for development questions, so that a checkpoint is measured by reading alone.

    python -m training.candidates DATA/squad2 INDEX OUT.jsonl.gz [ROWS]

Runs with the product's own environment. A line is a row of the set with what the product answered, its signals, and
the passages it would read, each with its units and what they score.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.citewell import Citewell
from bot.evaluation.predict import Questions
from bot.settings import Settings
from bot.wiring import open_citewell
from pipeline.ports import Retriever
from pipeline.read.asked import read
from pipeline.read.evidence import Candidate, gather
from pipeline.read.signals import signals
from pipeline.values import Audience, Retrieval, Search


class Remembering:
    """A retriever that keeps what it was last asked and what it found."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.last: tuple[Search, Retrieval] | None = None

    async def retrieve(self, search: Search, audience: Audience) -> Retrieval:
        found = await self._retriever.retrieve(search, audience)
        self.last = (search, found)
        return found


async def rows(citewell: Citewell, data: Path, most: int) -> Any:
    remembering = Remembering(citewell.retriever)
    questions = Questions(citewell.with_retriever(remembering))
    always = Questions(citewell.with_retriever(remembering), always=True)
    given = [json.loads(line) for line in (data / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in sorted(given, key=lambda row: hashlib.sha256(str(row["id"]).encode()).digest())[:most]:
        remembering.last = None
        shown = (await always.predict(row))["answer"]
        predicted = await questions.predict(row)
        if remembering.last:
            yield {"row": row, "predicted": predicted, "always": shown, **found(*remembering.last)}


def found(search: Search, retrieval: Retrieval) -> dict[str, Any]:
    search = retrieval.understood(search)
    asked = read(search.question, search.topic)
    passages = retrieval.passages or retrieval.nearest
    evidence = gather(asked, passages)
    seen = signals(asked, gather(asked, retrieval.passages), several=bool(search.sides))
    units: dict[str, list[Candidate]] = {some[0].chunk_id: some for some in evidence if some}
    return {
        "question": search.question,
        "signals": asdict(seen) if seen else None,
        "passages": [
            {
                "document": one.document.id,
                "title": one.document.title,
                "heading": one.chunk.heading,
                "text": one.chunk.text,
                "score": one.score,
                "units": [
                    [*_span(one.chunk.units[unit.index]), unit.kind.value, unit.says, unit.score]
                    for unit in units.get(one.chunk.id, ())
                ],
            }
            for one in passages
        ],
    }


def _span(unit: Any) -> tuple[int, int]:
    return unit.start, unit.end


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("index", type=Path, help="data folder that corpus.jsonl of the set was indexed into")
    parser.add_argument("out", type=Path)
    parser.add_argument("rows", type=int, nargs="?", default=10_000)
    chosen = parser.parse_args()
    settings = Settings(_env_file=None, model="extractive", data=chosen.index)
    async with open_citewell(settings) as citewell:
        with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
            async for row in rows(citewell, chosen.data, chosen.rows):
                print(json.dumps(row), file=out)


if __name__ == "__main__":
    asyncio.run(main())
