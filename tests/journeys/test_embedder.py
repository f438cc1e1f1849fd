"""Documents whose vectors come from a server, through its outages and its changes."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.doctor.config_warnings import warn_stale_embeddings
from bot.documents.reembedding import reembed
from bot.wiring import open_citewell
from pipeline.values import Audience
from storage.documents.embeddings import EmbeddedDocuments
from tests.doubles.llm.faults import Status
from tests.doubles.llm.server import LlmServer
from tests.doubles.samples import rows

EVERYONE = Audience(collections=frozenset({"default"}))
QUESTION = "How many vacation days do employees get?"


def opened(server: LlmServer, settings: Settings) -> AbstractAsyncContextManager[Citewell]:
    given = {"embedder": "openai:embed", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
    exclude = {"embedder", "openai_api_key", "openai_base_url"}
    return open_citewell(Settings(_env_file=None, **(settings.model_dump(exclude=exclude) | given)))


async def found_by_vector(citewell: Citewell) -> int:
    """How many passages a question's vector finds."""
    assert citewell.embedder
    vector = await citewell.embedder.embed_question(QUESTION)
    return len(await citewell.storage.index.search_vector(vector, EVERYONE, 50))


async def rebuild(citewell: Citewell) -> int:
    assert citewell.embedder
    return await reembed(EmbeddedDocuments(citewell.storage.database), citewell.embedder)


@pytest.mark.usefixtures("chroma_at_any_size")
async def test_vectors_are_searched_in_the_process_that_learnt_of_them(settings: Settings, documents: Path) -> None:
    """Also when nothing was known of the embedder as it was opened."""
    async with LlmServer().running() as server, opened(server, settings) as citewell:
        await citewell.index([documents])
        assert await found_by_vector(citewell) > 0
        await citewell.storage.vectors.sync()
        assert citewell.storage.vectors.is_chroma_ready
        assert await found_by_vector(citewell) > 0
        assert await warn_stale_embeddings(citewell) == []


async def test_an_outage_leaves_the_vectors_there_are(settings: Settings, documents: Path) -> None:
    async with LlmServer().running() as server:
        async with opened(server, settings) as citewell:
            await citewell.index([documents])
        server.script = [Status(500)] * 9
        async with opened(server, settings) as citewell:
            assert (await citewell.index([documents])).unchanged == 2
            answer = await citewell.answer(QUESTION)
            assert "25 vacation days" in answer.body
            assert "search_degraded: embedder" in answer.usage.notes
            server.script = []
            assert await found_by_vector(citewell) > 0


@pytest.mark.usefixtures("chroma_at_any_size")
async def test_a_server_that_changes_its_vectors_is_followed(settings: Settings, documents: Path) -> None:
    async with LlmServer().running() as server:
        async with opened(server, settings) as citewell:
            await citewell.index([documents])
            await citewell.storage.vectors.sync()
        server.dimensions = 5
        async with opened(server, settings) as citewell:
            assert "25 vacation days" in (await citewell.answer(QUESTION)).body
            assert await found_by_vector(citewell) == 0
            assert len(await warn_stale_embeddings(citewell)) == 1
        async with opened(server, settings) as citewell:
            assert await rebuild(citewell) == 2
            assert await citewell.storage.vectors.sync()
            assert await found_by_vector(citewell) > 0


async def test_a_change_of_embedder_there_and_back_is_mended_by_a_rebuild(settings: Settings, documents: Path) -> None:
    async with LlmServer().running() as server:
        for number in range(3):
            async with opened(server, settings) if number == 1 else open_citewell(settings) as citewell:
                if number == 0:
                    await citewell.index([documents])
                else:
                    assert len(await warn_stale_embeddings(citewell)) == 1
                    assert await rebuild(citewell) == 2
                assert await warn_stale_embeddings(citewell) == []
                assert await found_by_vector(citewell) > 0
                assert (await citewell.index([documents])).unchanged == 2


@pytest.mark.parametrize("into", ["", "hr"], ids=["removed", "moved"])
async def test_a_document_that_is_removed_or_moved_while_it_is_embedded_stays_so(
    citewell: Citewell, documents: Path, into: str
) -> None:
    listed = await citewell.storage.library.list_documents()
    embedded = EmbeddedDocuments(citewell.storage.database)
    (first, *_) = due = await embedded.outdated_revisions("another")
    _, chunks = await embedded.passages(first)
    if into:
        await citewell.index([documents], collection=into)
    else:
        await citewell.storage.library.remove_documents([document.id for document in listed])
    matrices = [rows(len(chunk.units)) for chunk in chunks]
    assert len(due) == 2
    assert not await embedded.replace_vectors(first, chunks, matrices, "another")
    now = {document.collection for document in await citewell.storage.library.list_documents()}
    assert now == ({into} if into else set())
    assert "another" not in await embedded.embedders()
