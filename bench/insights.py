"""`python -m bench.insights [ANSWERS]`: `citewell insights` over made-up answers (default 100,000) to the handbook.

Prints seconds and peak memory of the whole process, for the terminal and for the page."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bench.prose import documents
from bot.config.settings import Settings
from bot.wiring import open_citewell
from pipeline.values import Answer, AnswerOutcome, Citation, Confidence, ConfidenceFactor, ConfidenceLevel, Document
from storage.database import Connection
from storage.messages.history import insert_answer
from storage.open import open_storage

ROOT = Path(__file__).parent.parent
QUESTIONS, PEOPLE, CHANNELS = 5_000, 300, 20
DAYS = 30
OUTCOMES = (AnswerOutcome.ANSWERED,) * 7 + (AnswerOutcome.PARTIAL, AnswerOutcome.NOT_FOUND, AnswerOutcome.NOT_FOUND)
LEVELS = (ConfidenceLevel.HIGH, ConfidenceLevel.MEDIUM, ConfidenceLevel.LOW)


async def fill(data: Path, answers: int) -> None:
    """Index the handbook, and keep answers that cite it."""
    settings = Settings(_env_file=None, data=data, model="extractive")  # type: ignore[call-arg]
    async with open_citewell(settings) as citewell:
        await citewell.index([ROOT / "examples" / "handbook"])
        known = await citewell.storage.library.list_documents()
    async with open_storage(data) as storage:

        def keep(db: Connection) -> None:
            for number, (answer, author, at) in enumerate(_answers(answers, known)):
                insert_answer(db, answer, author, at)
                place = f"slack:T1:C{number % CHANNELS}:{number}"
                db.execute("INSERT INTO question VALUES ($1, $2, $3)", (place, answer.id, place))

        await storage.database.write(keep)


def _answers(count: int, known: list[Document]) -> Iterator[tuple[Answer, str, float]]:
    """Each with its author and its time: asked by few people again and again, and once by many, as questions are."""
    drawn = random.Random(1)
    text = " ".join(" ".join(documents(ROOT / "examples" / "handbook", 20_000)).split())
    words = text.split()
    questions = [f"What about {' '.join(drawn.sample(words, 6))}?" for _ in range(QUESTIONS)]
    for number in range(count):
        asked = questions[min(int(drawn.paretovariate(0.7)) - 1, QUESTIONS - 1)]
        outcome, document, start = drawn.choice(OUTCOMES), drawn.choice(known), drawn.randrange(len(text) - 900)
        cited = Citation(
            number=1,
            document_id=document.id,
            chunk_id=document.id,
            title=document.title,
            filename=document.filename,
            quote=text[start : start + 900],
        )
        answer = Answer(
            id=f"{number:016x}",
            question=asked,
            standalone=asked,
            outcome=outcome,
            body=text[start : start + 900],
            citations=() if outcome is AnswerOutcome.NOT_FOUND else (cited,),
            confidence=Confidence(
                level=drawn.choice(LEVELS),
                score=0.7,
                reasons=tuple(
                    ConfidenceFactor(name=name, value=1, text=text[start : start + 60])
                    for name in ("answers", "consistent")
                ),
            ),
            key_facts=(text[start : start + 900],),
        )
        at = time.time() - drawn.random() * DAYS * 86400
        yield answer, f"slack:T1:U{drawn.randrange(PEOPLE)}", at


def _fill(data: Path, answers: int) -> None:
    asyncio.run(fill(data, answers))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="citewell-bench-") as name:
        data = Path(name) / "data"
        with ProcessPoolExecutor(1, get_context("spawn")) as process:  # its memory would be counted as the command's
            process.submit(_fill, data, count).result()
        print(f"{count:,} answers, {(data / 'citewell.db').stat().st_size / 1e6:,.0f} MB")
        for options in ([], ["--html", str(Path(name) / "page.html")]):
            started = time.perf_counter()
            command = [sys.executable, "-m", "bot", "insights", "--data", str(data), *options]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            seconds, worked = time.perf_counter() - started, used.ru_utime + used.ru_stime
            what = f"insights {' '.join(options[:1])}".strip() + (" failed" if status else "")
            print(f"{what}: {seconds:.1f} s ({worked:.1f} s of a processor), {used.ru_maxrss / 1000:.0f} MB at most")


if __name__ == "__main__":
    main()
