"""CITEWELL_EMBEDDER is changed: the old vectors answer until there are new ones of all documents."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from adapters.models.minilm.embedder import MiniLMEmbedder
from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.doctor.config_warnings import warn_stale_embeddings
from bot.documents.reembedding import reembed
from bot.wiring import open_citewell
from pipeline.errors import Unavailable
from pipeline.values import Audience
from storage.documents.embeddings import EmbeddedDocuments
from tests.doubles.llm.faults import Status
from tests.doubles.llm.server import LlmServer

EVERYONE = Audience(collections=frozenset({"default"}))
QUESTION = "How many vacation days do employees get?"
NEW = "openai:embed:3"


def opened(server: LlmServer, settings: Settings, *, key: str = "k") -> AbstractAsyncContextManager[Citewell]:
    given = {"embedder": "openai:embed", "OPENAI_API_KEY": key, "OPENAI_BASE_URL": f"{server.url}/v1"}
    exclude = {"embedder", "openai_api_key", "openai_base_url"}
    return open_citewell(Settings(_env_file=None, **(settings.model_dump(exclude=exclude) | given)))


async def found(citewell: Citewell) -> tuple[str, int]:
    """Which embedder was asked, and how many passages its vector found."""
    assert citewell.embedder
    vector = await citewell.embedder.embed_question(QUESTION)
    return citewell.embedder.name, len(await citewell.storage.index.search_vector(vector, EVERYONE, 50))


async def rebuild(citewell: Citewell) -> int:
    assert citewell.embedder
    return await reembed(EmbeddedDocuments(citewell.storage.database), citewell.embedder)


def embedded(server: LlmServer) -> int:
    """The requests that embedded passages."""
    return sum(len(request["input"]) > 1 for request in server.requests)


async def test_the_old_vectors_answer_until_every_document_has_new_ones(citewell: Citewell, settings: Settings) -> None:
    _, passages = await found(citewell)
    async with LlmServer().running() as server, opened(server, settings) as changing:
        assert await found(changing) == (MiniLMEmbedder.name, passages)
        assert server.requests == []
        await _one(changing)
        (line,) = await warn_stale_embeddings(changing)
        assert line.startswith("1 of 2 documents are embedded with CITEWELL_EMBEDDER=openai:embed; until all are, ")
        assert f"{MiniLMEmbedder.name} is searched with. To embed them: citewell index --rebuild" in line
        assert await found(changing) == (MiniLMEmbedder.name, passages)
        server.script = [Status(401)] * 2
        with pytest.raises(Unavailable):
            await rebuild(changing)
        assert await found(changing) == (MiniLMEmbedder.name, passages)


async def test_what_is_cut_off_goes_on_where_it_was_and_everything_changes_at_once(
    citewell: Citewell, settings: Settings
) -> None:
    _, passages = await found(citewell)
    async with LlmServer().running() as server, opened(server, settings) as beside:
        await _one(beside)
        async with opened(server, settings) as changing:
            server.requests.clear()
            assert await rebuild(changing) == 2
            assert embedded(server) == 1
            assert await found(changing) == (NEW, passages)
            assert await warn_stale_embeddings(changing) == []
        assert await found(beside) == (NEW, passages)
        assert "25 vacation days" in (await beside.answer(QUESTION)).body


async def test_the_way_back_needs_no_new_vectors(citewell: Citewell, settings: Settings) -> None:
    async with LlmServer().running() as server:
        async with opened(server, settings) as changing:
            assert await rebuild(changing) == 2
        async with open_citewell(settings) as back:
            assert await rebuild(back) == 2
            assert (await found(back))[0] == MiniLMEmbedder.name
        server.requests.clear()
        async with opened(server, settings) as again:
            assert await rebuild(again) == 2
            assert embedded(server) == 0
            assert (await found(again))[0] == NEW


async def test_documents_that_come_change_or_go_meanwhile_are_what_they_are_afterwards(
    citewell: Citewell, settings: Settings, documents: Path
) -> None:
    async with LlmServer().running() as server, opened(server, settings) as changing:
        await _one(changing)
        (documents / "leave.md").write_text("# Vacation\n\nEmployees get 31 vacation days.\n")
        (documents / "parking.md").write_text("# Parking\n\nCars are left behind the house.\n")
        summary = await changing.index([documents])
        assert (summary.changed, summary.added) == (1, 1)
        assert (await found(changing))[0] == MiniLMEmbedder.name
        assert await rebuild(changing) == 3
        assert (await found(changing))[0] == NEW
        assert "31 vacation days" in (await changing.answer(QUESTION)).body
        assert (await changing.index([documents])).unchanged == 3
        await changing.storage.library.remove_documents(
            [one.id for one in await changing.storage.library.list_documents()]
        )
        query = "SELECT (SELECT count(*) FROM chunk) + (SELECT count(*) FROM revision)"
        assert await changing.storage.database.read(lambda db: db.execute(query).fetchone()[0]) == 0


async def test_an_embedder_that_cannot_be_opened_any_more_leaves_words_until_all_are_embedded(
    settings: Settings, documents: Path
) -> None:
    async with LlmServer().running() as server, opened(server, settings) as citewell:
        await citewell.index([documents])
    async with open_citewell(settings) as changing:
        assert await found(changing) == (MiniLMEmbedder.name, 0)
        assert "25 vacation days" in (await changing.answer(QUESTION)).body
        (line,) = await warn_stale_embeddings(changing)
        assert "found by words only" in line
        await _one(changing)
        assert await found(changing) == (MiniLMEmbedder.name, 0)
        (line,) = await warn_stale_embeddings(changing)
        assert "until all are, as 1 already is" in line
        assert await rebuild(changing) == 2
        name, passages = await found(changing)
        assert (name, passages > 0) == (MiniLMEmbedder.name, True)
        assert await warn_stale_embeddings(changing) == []


async def _one(citewell: Citewell) -> None:
    """Embed one document with the new embedder, and be cut off."""

    def stop(place: int, _: int) -> None:
        if place > 1:
            raise KeyboardInterrupt

    assert citewell.embedder
    with pytest.raises(KeyboardInterrupt):
        await reembed(EmbeddedDocuments(citewell.storage.database), citewell.embedder, stop)
