"""LlamaIndex's and Haystack's side of `make bench` reads with the weights that Citewell ships."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.models.cross_encoder.minilm import LOGIT_RANGE, MiniLMCrossEncoder
from adapters.models.minilm.embedder import MiniLMEmbedder
from bench.beside.graph import CROSS_ENCODER, EMBEDDER, opened

QUESTION, PASSAGE = "How much holiday does everybody have?", "Everybody has 30 days of holiday a year."


async def test_the_other_side_embeds_a_text_as_citewell_does() -> None:
    session, tokenizer = opened(EMBEDDER, 256)
    (vector, *_) = session.run(None, {"input_ids": np.array([tokenizer.encode(PASSAGE).ids], np.int64)})
    assert np.array_equal(vector[0], (await MiniLMEmbedder().embed([PASSAGE]))[0])


async def test_the_other_side_scores_a_passage_as_citewell_does() -> None:
    session, tokenizer = opened(CROSS_ENCODER, 512)
    read = tokenizer.encode(QUESTION, PASSAGE)
    inputs = {"input_ids": np.array([read.ids], np.int64), "token_type_ids": np.array([read.type_ids], np.int64)}
    (logits, *_) = session.run(None, inputs)
    scores = await MiniLMCrossEncoder().score(QUESTION, [PASSAGE]) or ()
    assert [2 * LOGIT_RANGE * score - LOGIT_RANGE for score in scores] == pytest.approx([float(logits[0][0])])
