"""LlamaIndex's and Haystack's rankers, with the weights that Citewell ships.

Each line of standard input is a question with passages, each line of the output what each ranker made of it. Run in an
environment with `locks/beside.txt` installed. The rankers are the ones that both publish; only the model inside is
another: theirs would be fetched, and LlamaIndex's needs PyTorch."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from haystack import Document
from haystack_integrations.components.rankers.fastembed import FastembedRanker
from llama_index.core.postprocessor import SentenceTransformerRerank
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from bench.beside.graph import CROSS_ENCODER, opened
from bench.beside.side import on_one_core, tell

TOKENS = 512
"""Of question and passage, as many as both rankers let the model see."""
SHOWN = 10


class CrossEncoder:
    """On one thread; the graph takes a pair at a time, which costs no padding."""

    def __init__(self) -> None:
        self._session, self._tokenizer = opened(CROSS_ENCODER, TOKENS)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """As sentence-transformers' class has it."""
        return [self._score(one.ids, one.type_ids) for one in self._tokenizer.encode_batch_fast(list(pairs))]

    def rerank(self, query: str, documents: Sequence[str], **_: object) -> Iterator[float]:
        """As fastembed's class has it."""
        yield from self.predict([(query, text) for text in documents])

    def _score(self, ids: Sequence[int], types: Sequence[int]) -> float:
        given = {"input_ids": np.array([ids], np.int64), "token_type_ids": np.array([types], np.int64)}
        return float(self._session.run(None, given)[0][0][0])


class Reranker(SentenceTransformerRerank):
    """LlamaIndex's, without sentence-transformers."""

    def __init__(self, model: CrossEncoder) -> None:
        BaseNodePostprocessor.__init__(self, top_n=SHOWN, model=CROSS_ENCODER.name)  # its own loads the model
        self._model = model


def llamaindex(model: CrossEncoder) -> Callable[[str, Sequence[Mapping[str, str]]], int]:
    reranker = Reranker(model)

    def first(question: str, passages: Sequence[Mapping[str, str]]) -> int:
        nodes = [
            NodeWithScore(node=TextNode(id_=str(place), text=one["text"], metadata={"title": one["title"]}))
            for place, one in enumerate(passages)
        ]
        return int(reranker.postprocess_nodes(nodes, query_str=question)[0].node.node_id)

    return first


def haystack(model: CrossEncoder) -> Callable[[str, Sequence[Mapping[str, str]]], int]:
    ranker = FastembedRanker(top_k=SHOWN, meta_fields_to_embed=["title"])
    loaded: Any = model
    ranker._model = loaded  # noqa: SLF001 its own is fetched

    def first(question: str, passages: Sequence[Mapping[str, str]]) -> int:
        documents = [
            Document(id=str(place), content=one["text"], meta={"title": one["title"]})
            for place, one in enumerate(passages)
        ]
        return int(ranker.run(query=question, documents=documents)["documents"][0].id)

    return first


def main() -> None:
    model = CrossEncoder()
    rankers = {"LlamaIndex": llamaindex(model), "Haystack": haystack(model)}
    for line in sys.stdin:
        asked, said = json.loads(line), {}
        for name, first in rankers.items():
            began = time.process_time()
            place = first(asked["question"], asked["passages"])
            said[name] = place, 1000 * (time.process_time() - began)
        tell(said)


if __name__ == "__main__":
    on_one_core()
    main()
