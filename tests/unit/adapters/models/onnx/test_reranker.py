"""A cross-encoder from a folder: its scores, and what is said of a graph that is none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from adapters.models.onnx.reranker import open_onnx_reranker
from pipeline.errors import Misconfigured, Unavailable
from tests.doubles.graphs import cross_encoder, model_folder, tokens_graph

SETTING = "CITEWELL_RERANKER"
QUESTION = "When does the office open"
PASSAGES = ["pump is primed", "the office opens at nine", "the office is open when the pump is"]


@pytest.mark.parametrize("gives", ["yes", "no yes"])
async def test_question_and_passage_are_read_together(tmp_path: Path, gives: str) -> None:
    reranker = open_onnx_reranker(model_folder(tmp_path, cross_encoder(gives)), SETTING)
    pump, opens, is_open = await reranker.score(QUESTION, PASSAGES)
    assert pump < opens < is_open


async def test_a_pair_has_one_score_alone_and_among_others(tmp_path: Path) -> None:
    reranker = open_onnx_reranker(model_folder(tmp_path, cross_encoder()), SETTING)
    alone = [(await reranker.score(QUESTION, [passage]))[0] for passage in PASSAGES]
    assert await reranker.score(QUESTION, PASSAGES) == alone
    assert await asyncio.gather(*(reranker.score(QUESTION, PASSAGES) for _ in range(8))) == [alone] * 8


async def test_of_a_long_passage_the_beginning_is_read(tmp_path: Path) -> None:
    reranker = open_onnx_reranker(model_folder(tmp_path, cross_encoder()), SETTING)
    long, cut = await reranker.score(QUESTION, ["office " * 300, "office " * 40])
    assert long == cut


async def test_a_question_that_is_given_up_does_not_keep_the_next_from_being_answered(tmp_path: Path) -> None:
    reranker = open_onnx_reranker(model_folder(tmp_path, cross_encoder()), SETTING)
    asking = asyncio.create_task(reranker.score(QUESTION, PASSAGES * 3000))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(await reranker.score(QUESTION, PASSAGES)) == 3


async def test_a_graph_that_is_no_cross_encoder_is_said_to_be_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not a cross-encoder"):
        await open_onnx_reranker(model_folder(tmp_path, tokens_graph()), SETTING).score(QUESTION, PASSAGES)


async def test_changed_weights_are_not_run(tmp_path: Path) -> None:
    reranker = open_onnx_reranker(model_folder(tmp_path, cross_encoder()), SETTING)
    (tmp_path / "model.onnx").write_bytes(cross_encoder("no yes"))
    with pytest.raises(Unavailable, match=r"model\.onnx is not the file"):
        await reranker.score(QUESTION, PASSAGES)


def test_what_only_an_embedder_has_does_not_belong_into_its_manifest(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="pooling"):
        open_onnx_reranker(model_folder(tmp_path, cross_encoder(), pooling="mean"), SETTING)
