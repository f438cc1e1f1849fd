"""`python -m bench.learning SET [PARAPHRASES] [--wrong SHARE]`: golden before and after answers were confirmed.

SET is a folder with `corpus.jsonl` and `dev.jsonl` (docs/quality.md). The right answers to one half of its rows are
confirmed, and golden asks the other half; with PARAPHRASES (`{id, question}`, of rows of SET) all are confirmed, and
golden asks those. `--wrong`: so many confirm a passage of another document instead. At the end: milliseconds of a
search with 10,000 ratings, and without.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.quality import Row, read, settings
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.evaluation.predict import join_shown_sentences
from bot.evaluation.rows import parse_turns
from bot.evaluation.scores import is_correct
from bot.wiring import open_citewell
from pipeline.find.near_duplicates import remaining_passages
from pipeline.values import Answer, AnswerRequest, Citation, Role, SearchPlan, Vote, replace
from storage.database import Connection
from storage.messages.history import insert_answer

RATINGS, SEARCHES = 10_000, 300
_RATE = "INSERT INTO rating (answer, person, vote, comment, at, role) VALUES ($1, 'slack:T1:U9', $2, '', $3, $4)"


async def prepared(data: Path, folder: Path, paraphrases: Path | None, wrong: float) -> list[Row]:
    """Index, confirm, and return the rows that golden asks."""
    answerable = [row for row in read(folder / "dev.jsonl") if row["gold_doc_ids"]]
    rows = sorted(answerable, key=lambda row: hashlib.sha256(str(row["id"]).encode()).digest())
    half = len(rows) if paraphrases else len(rows) // 2
    drawn = random.Random(1)
    rated: set[str] = set()
    async with open_citewell(settings_of(data)) as citewell:
        await citewell.index([folder / "corpus.jsonl"], prefix="")
        everything = await citewell.all_collections()
        for row in rows[:half]:
            request = AnswerRequest(
                text=row["question"], audience=everything, turns=parse_turns(row.get("history") or [])
            )
            answer = await citewell.respond(request)
            if answer.citations and is_correct(row, join_shown_sentences(answer)):
                rated.add(row["id"])
                if drawn.random() < wrong:
                    answer = await _mistaken(citewell, answer, row)
                await citewell.storage.database.write(lambda db, given=answer: confirm(db, given))
    print(f"{len(rated)} answers confirmed")
    if paraphrases:
        gold = {row["id"]: row for row in rows}
        return [gold[row["id"]] | {"question": row["question"]} for row in read(paraphrases) if row["id"] in rated]
    return rows[half:]


async def _mistaken(citewell: Citewell, answer: Answer, row: Row) -> Answer:
    """`answer` as if it cited the best passage of another document."""
    search = SearchPlan(question=answer.standalone)
    found = await citewell.retriever.retrieve(search, await citewell.all_collections())
    others = [
        one for one in (*found.passages, *remaining_passages(found)) if one.document.id not in row["gold_doc_ids"]
    ]
    cited = [replace(answer.citations[0], chunk_id=one.chunk.id) for one in others[:1]]
    return replace(answer, citations=tuple(cited), nearest=())


def confirm(db: Connection, answer: Answer) -> None:
    insert_answer(db, answer, "slack:T1:U1", time.time())
    key = f"slack:T1:C1:{answer.id}"
    db.execute("INSERT INTO question VALUES ($1, $2, $3)", (key, answer.id, key))
    db.execute(_RATE, (answer.id, Vote.HELPFUL, time.time(), Role.CONTRIBUTOR))


def settings_of(data: Path, least: Role | None = None) -> Settings:
    return replace(settings(), data=data, learn_from=least)


def golden(data: Path, file: Path, rows: list[Row]) -> None:
    """Before, kept as the baseline, and after."""
    expected = [
        {"id": row["id"], "question": row["question"], "documents": row["gold_doc_ids"], "facts": row["answers"][:1]}
        for row in rows
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in expected), encoding="utf-8")
    command = [sys.executable, "-m", "bot", "eval", "golden", str(file), "--data", str(data)]
    for least, more in (("", ["--write"]), ("contributor", [])):
        environment = os.environ | {"CITEWELL_MODEL": "extractive", "CITEWELL_LEARN_FROM": least}
        print(f"\nCITEWELL_LEARN_FROM={least}", flush=True)
        subprocess.run([*command, *more], env=environment, check=False)


async def latency(data: Path, questions: list[str]) -> None:
    """Of questions that are alike to confirmed ones and of others, asked with and without in turn, in one process."""
    alike, others = questions[::2], questions[1::2]
    async with (
        open_citewell(settings_of(data)) as plain,
        open_citewell(settings_of(data, Role.CONTRIBUTOR)) as learning,
    ):
        everything = await plain.all_collections()
        passage = (await plain.retriever.retrieve(SearchPlan(question=alike[0]), everything)).nearest[0]
        cited = Citation(number=1, document_id="", chunk_id=passage.chunk.id, title="", filename="")
        given = replace(await plain.answer(alike[0]), citations=(cited,), nearest=())

        def fill(db: Connection) -> None:
            for number in range(RATINGS):
                asked = f"{alike[number % len(alike)]} {number}"
                confirm(db, replace(given, id=f"r{number}", standalone=asked))

        await plain.storage.database.write(fill)
        await learning.retriever.retrieve(SearchPlan(question=alike[0]), everything)
        while not learning.retriever._confirmations._spaces:  # type: ignore[attr-defined] # noqa: SLF001, ASYNC110
            await asyncio.sleep(1)
        print()
        for name, asked in (("alike", alike), ("others", others)):
            waits: dict[str, list[float]] = {"without": [], "with": []}
            for question in [*asked, *asked][:SEARCHES]:
                for which, citewell in (("without", plain), ("with", learning)):
                    started = time.perf_counter()
                    await citewell.retriever.retrieve(SearchPlan(question=question), everything)
                    waits[which].append((time.perf_counter() - started) * 1000)
            told = ", ".join(f"{which} {statistics.median(of):.1f} ms" for which, of in waits.items())
            print(f"{RATINGS:,} ratings, {name}: {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=Path)
    parser.add_argument("paraphrases", type=Path, nargs="?")
    parser.add_argument("--wrong", type=float, default=0.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as name:
        data = Path(name) / "data"
        rows = asyncio.run(prepared(data, given.set, given.paraphrases, given.wrong))
        golden(data, Path(name) / "golden.jsonl", rows)
        asyncio.run(latency(data, [row["question"] for row in rows]))


if __name__ == "__main__":
    main()
