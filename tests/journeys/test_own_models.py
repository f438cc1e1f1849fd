"""An embedder and a reranker from folders that somebody set up, from the settings to the answer."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.citewell import Citewell
from bot.config.settings import Settings
from bot.doctor.config_warnings import warn_stale_embeddings
from bot.doctor.models import diagnose_models
from bot.documents.reembedding import reembed
from bot.wiring import open_citewell
from pipeline.errors import Misconfigured
from pipeline.values import Finding, FindingState, replace
from storage.documents.embeddings import EmbeddedDocuments
from tests.doubles.graphs import cross_encoder, model_folder, tokens_graph
from tests.doubles.web import Reply, WebServer

QUESTION = "How many vacation days do employees get?"


def opened(settings: Settings, **changed: str) -> AbstractAsyncContextManager[Citewell]:
    return open_citewell(replace(settings, **changed))


async def examined(settings: Settings, **changed: Any) -> Finding:
    """What is said of the one model that is set, besides the language model."""
    (found, _) = [one async for one in diagnose_models(replace(settings, **changed))]
    return found


async def test_documents_are_found_with_an_embedder_of_ones_own_and_embedded_again_for_another(
    settings: Settings, documents: Path, tmp_path: Path
) -> None:
    plain = model_folder(tmp_path / "plain", tokens_graph(), pooling="mean")
    prefixed = model_folder(tmp_path / "prefixed", tokens_graph(), pooling="mean", passage_prefix="passage : ")
    async with opened(settings, embedder=f"onnx:{plain}") as citewell:
        await citewell.index([documents])
        assert await warn_stale_embeddings(citewell) == []
        answer = await citewell.answer(QUESTION)
        assert "25 vacation days" in answer.body
        assert answer.usage.notes == ()
    async with opened(settings, embedder=f"onnx:{prefixed}") as citewell:
        assert citewell.embedder
        assert len(await warn_stale_embeddings(citewell)) == 1
        assert await reembed(EmbeddedDocuments(citewell.storage.database), citewell.embedder) == 2
        assert await warn_stale_embeddings(citewell) == []


async def test_words_find_what_an_embedder_with_changed_files_does_not(
    settings: Settings, documents: Path, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path / "model", tokens_graph(), pooling="mean")
    (folder / "model.onnx").write_bytes(tokens_graph(times=2))
    async with opened(settings, embedder=f"onnx:{folder}") as citewell:
        assert "is not the file" in (await citewell.index([documents])).degraded
        answer = await citewell.answer(QUESTION)
    assert "25 vacation days" in answer.body
    assert "search_degraded: embedder" in answer.usage.notes


async def test_answers_come_with_a_reranker_and_without_it_when_it_is_gone(settings: Settings, documents: Path) -> None:
    async with (
        WebServer({"/rerank": Reply(status=500)}).running() as server,
        opened(settings, reranker="jina:m", reranker_url=f"{server.url}/rerank") as citewell,
    ):
        for who in ("Interns", "Contractors"):
            (documents / f"{who}.md").write_text(f"# {who}\n\n{who} get as many vacation days as employees get.\n")
        await citewell.index([documents])
        without = await citewell.answer(QUESTION)
        asked = json.loads(server.asked[0].body)
        scored = [{"index": place, "relevance_score": -place} for place in range(len(asked["documents"]))]
        server.replies["/rerank"] = Reply(json.dumps({"results": scored}).encode())
        answer = await citewell.answer(QUESTION)
    assert asked["query"] == QUESTION
    assert "search_degraded: reranker" in without.usage.notes
    assert answer.usage.notes == ()
    assert answer.body == without.body


@pytest.mark.parametrize("name", ["embedder", "reranker"])
async def test_a_folder_that_is_not_there_is_told_at_the_start(settings: Settings, tmp_path: Path, name: str) -> None:
    with pytest.raises(Misconfigured, match=f"CITEWELL_{name.upper()}"):
        async with opened(settings, **{name: f"onnx:{tmp_path / 'nothing'}"}):
            pass


async def test_the_doctor_says_how_long_a_reranker_takes(settings: Settings, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model", cross_encoder())
    found = await examined(settings, reranker=f"onnx:{folder}")
    assert found.state is FindingState.GOOD
    assert "reads 15 long passages in 0." in found.said


async def test_the_doctor_tells_a_reranker_that_is_too_slow_to_be_waited_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bot.doctor.models.RERANK_SECONDS", 0.0)
    found = await examined(settings, reranker=f"onnx:{model_folder(tmp_path / 'model', cross_encoder())}")
    assert found.state is FindingState.WARNING
    assert "no question waits longer" in found.said


@pytest.mark.parametrize(
    ("set_", "said"),
    [
        ({"reranker": "jina:m"}, "CITEWELL_RERANKER_KEY: is not set"),
        ({"reranker": "cohere:m", "reranker_url": "http://127.0.0.1:9/rerank"}, "the connection failed"),
        ({"reranker": "fastembed:m"}, "needs the package fastembed"),
        ({"embedder": "fastembed:m"}, "needs the package fastembed"),
        ({"embedder": "onnx:/nowhere"}, "manifest.json cannot be read"),
    ],
)
async def test_the_doctor_tells_a_model_that_cannot_be_had(settings: Settings, set_: dict[str, str], said: str) -> None:
    found = await examined(settings, **set_)
    assert found.state is FindingState.BAD
    assert said in found.said
    assert found.fix


async def test_the_doctor_tells_models_that_take_something_else_for_the_answer(
    settings: Settings, tmp_path: Path
) -> None:
    contrary = model_folder(tmp_path / "contrary", cross_encoder("no"))
    assert "above the answer" in (await examined(settings, reranker=f"onnx:{contrary}")).said
    blind = model_folder(tmp_path / "blind", tokens_graph(), pooling="cls")
    assert "above the answer" in (await examined(settings, embedder=f"onnx:{blind}")).said


async def test_the_doctor_is_content_with_an_embedder_that_tells_texts_apart(
    settings: Settings, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path / "model", tokens_graph(), pooling="mean")
    assert (await examined(settings, embedder=f"onnx:{folder}")).state is FindingState.GOOD
