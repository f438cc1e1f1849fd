"""What a question's searches cost PostgreSQL, and how much room a passage takes there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import psutil
import psycopg

from adapters.models.minilm.embedder import MiniLMEmbedder
from bench.synthetic import Corpus, unit_rows
from pipeline.values import Audience
from pipeline.words.text import query_terms
from storage.open import open_storage
from storage.postgres.vectors import PgVectors

T = TypeVar("T")
QUESTIONS, FIRST, READ = 40, 15, 30
EVERYONE = Audience(collections=frozenset({"default"}))
_SESSIONS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'citewell'"
_ROOM = """
    SELECT relname, pg_relation_size(pg_class.oid)::float
        + CASE relkind WHEN 'r' THEN coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) ELSE 0 END
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
    ORDER BY 2 DESC LIMIT 9
"""


async def show_searches(corpus: Corpus, folder: Path, database: str) -> None:
    """Milliseconds of the server's processor for each search, and bytes a passage of each table and index."""
    questions = corpus.questions(QUESTIONS)
    vectors = list(unit_rows(np.random.default_rng(1), QUESTIONS))
    async with open_storage(folder, database=database, embedder=MiniLMEmbedder.name) as storage:
        index, library, exact = (
            storage.index,
            storage.library,
            PgVectors(storage.database, embedder=lambda: MiniLMEmbedder.name),
        )
        hits = (await index.search_lexical(query_terms(questions[0]), EVERYONE, READ)).hits
        found = [[hit.chunk_id for hit in hits]] * QUESTIONS
        parts = {
            "by words": await _cost(
                database, lambda one: index.search_lexical(query_terms(one), EVERYONE, FIRST), questions
            ),
            "by vectors": await _cost(database, lambda one: index.search_vector(one, EVERYONE, FIRST), vectors),
            "by vectors, all of them": await _cost(
                database, lambda one: exact.exact_nearest(one, EVERYONE, FIRST), vectors[:5]
            ),
            "text and sentences' vectors": await _cost(database, library.get_with_vectors, found),
        }
    print("the server's processor, ms: " + ", ".join(f"{name} {cost:.1f}" for name, cost in parts.items()))
    with psycopg.connect(database) as connection:
        rows = connection.execute(_ROOM).fetchall()
    print("bytes a passage: " + ", ".join(f"{name} {size / corpus.chunks:,.0f}" for name, size in rows), flush=True)


async def _cost(database: str, search: Callable[[T], Awaitable[object]], asked: Sequence[T]) -> float:
    for one in asked[:3]:
        await search(one)
    before = _spent(database)
    for one in asked:
        await search(one)
    return 1000 * (_spent(database) - before) / len(asked)


def _spent(database: str) -> float:
    """Seconds of all sessions."""
    with psycopg.connect(database) as connection:
        sessions = [number for (number,) in connection.execute(_SESSIONS)]
    return sum(sum(psutil.Process(number).cpu_times()[:2]) for number in sessions)
