"""LlamaIndex's side: `index DOCUMENTS FOLDER`, `fill PASSAGES FOLDER`, `ask QUESTIONS FOLDER`.

Chroma and BM25, fused by reciprocal rank, five passages; run in an environment with `locks/beside.txt` installed."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.chroma import ChromaVectorStore

from bench.beside.graph import EMBEDDER, opened
from bench.beside.side import Found, on_one_core, rows, tell, timed

PASSAGE = 256
"""Tokens of one, as many as the embedder sees."""
BEST = 5
AT_ONCE = 5000


class Embedding(BaseEmbedding):
    """The weights that Citewell ships, on one thread."""

    def model_post_init(self, _: object) -> None:
        self._session, self._tokenizer = opened(EMBEDDER, PASSAGE)

    def _get_text_embedding(self, text: str) -> list[float]:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        vector: list[float] = self._session.run(None, {"input_ids": ids})[0][0].tolist()
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def store(folder: Path) -> ChromaVectorStore:
    client = chromadb.PersistentClient(str(folder / "chroma"))
    return ChromaVectorStore(client.get_or_create_collection("passages", metadata={"hnsw:space": "cosine"}))


def keep_words(nodes: Sequence[BaseNode], folder: Path) -> None:
    BM25Retriever.from_defaults(nodes=list(nodes), similarity_top_k=15).persist(str(folder / "words"))


def index(documents: Path, folder: Path) -> float:
    """Seconds of processor time, from the file to what is searched."""
    embedding = Embedding()
    began = time.process_time()
    read = [Document(text=str(row["text"]), doc_id=str(row["doc_id"])) for row in rows(documents)]
    nodes = SentenceSplitter(chunk_size=PASSAGE, chunk_overlap=20).get_nodes_from_documents(read)
    context = StorageContext.from_defaults(vector_store=store(folder))
    VectorStoreIndex(nodes, storage_context=context, embed_model=embedding)
    keep_words(nodes, folder)
    return time.process_time() - began


def fill(passages: Path, folder: Path) -> None:
    kept, nodes = store(folder), []
    for row in rows(passages):
        document = RelatedNodeInfo(node_id=str(row["doc_id"]))
        node: Any = TextNode(id_=str(row["id"]), text=str(row["text"]), embedding=row["vector"])
        node.relationships[NodeRelationship.SOURCE] = document
        nodes.append(node)
    for start in range(0, len(nodes), AT_ONCE):
        kept.add(nodes[start : start + AT_ONCE])
    for node in nodes:
        node.embedding = None
    keep_words(nodes, folder)


async def ask(questions: Path, folder: Path) -> Found:
    vectors = VectorStoreIndex.from_vector_store(store(folder), embed_model=Embedding())
    fused = QueryFusionRetriever(
        [vectors.as_retriever(similarity_top_k=15), BM25Retriever.from_persist_dir(str(folder / "words"))],
        llm=MockLLM(),
        num_queries=1,
        mode="reciprocal_rerank",  # type: ignore[arg-type] # taken as its name
        similarity_top_k=BEST,
        use_async=False,
    )

    async def retrieve(question: str) -> Sequence[str]:
        return [found.node.ref_doc_id or "" for found in fused.retrieve(question)]

    async def settled() -> None: ...

    return await timed(retrieve, questions, settled)


if __name__ == "__main__":
    on_one_core()
    what, given, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    match what:
        case "index":
            tell(index(given, folder))
        case "fill":
            fill(given, folder)
        case "ask":
            tell(asyncio.run(ask(given, folder)))
