"""`python -m bench.channel`: what people say in a channel about Citewell, nobody mentioned, over its own documents.

Each message of `tests/quality/channel.jsonl` as in a channel that is set to `auto` at medium: how many are answered,
and of those that the documents answer how many with what they say; beside that, what a mention would have got.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from bench.quality import read, settings
from bench.quality_rows import QUALITY, holds
from bot.citewell import Citewell
from bot.evaluation.predict import join_shown_sentences, open_temporary_citewell
from pipeline.values import Answer, AnswerOutcome, AnswerRequest, Audience, ConfidenceLevel, PlaceId, replace
from pipeline.values.request import AutoAnswerPolicy

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "docs/*.md", "docs/operations/*.md")
AUTO = AutoAnswerPolicy(
    place=PlaceId(platform="slack", space="T1", channel="C1"), minimum_level=ConfidenceLevel.MEDIUM, per_hour=1_000_000
)


async def count(citewell: Citewell, audience: Audience) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in read(QUALITY / "channel.jsonl"):
        asked = AnswerRequest(text=row["text"], audience=audience)
        unasked = await citewell.respond(replace(asked, is_unprompted=True, auto=AUTO))
        mentioned = await citewell.respond(asked)
        counts[row["kind"]] += 1
        counts[f"{row['kind']}: answered"] += unasked.outcome is not AnswerOutcome.SILENT
        if row["must"]:
            counts["answerable: with what the documents say"] += _right(unasked, row["must"])
            counts["answerable: the same after a mention"] += _right(mentioned, row["must"])
    return counts


def _right(answer: Answer, must: list[str]) -> bool:
    return all(holds(join_shown_sentences(answer), one) for one in must)


async def main() -> None:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        for file in (file for pattern in DOCUMENTS for file in ROOT.glob(pattern)):
            copy = Path(folder) / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        async with open_temporary_citewell(settings(), Path(folder)) as citewell:
            for name, number in sorted((await count(citewell, await citewell.all_collections())).items()):
                print(f"{number:4} {name}")


if __name__ == "__main__":
    asyncio.run(main())
