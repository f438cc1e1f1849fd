"""`citewell migrate SOURCE TARGET`."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.terminal import err, load_settings, print_line, print_note, print_warnings, run_async
from pipeline.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.find.retrieve import HybridRetriever
    from pipeline.ports import Embedder
    from pipeline.values import RetrievedChunk
    from storage.data_migration import MigrationEndpoint

CHECK_QUESTIONS = 200
MAX_LOST_SHARE = 0.02
"""Share of questions that may miss what came first before.

Measured: none of 2,500, in our documentation and in 1,204 paragraphs (SQuAD 2.0), by words alone and with vectors; 83
to 98 in 100 found the same documents altogether.
"""


def migrate(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="sqlite:FOLDER or postgresql://…; it stays as it is.")
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The other kind: a new folder or an empty database.")],
) -> None:
    """Copy all data to another database and verify the copy. Stop `citewell run` first.

    If it is interrupted, the same command continues where it stopped."""
    settings = load_settings()

    async def work() -> None:
        from bot.wiring import open_embedder
        from storage.data_migration import copy_data, endpoint_name, finish_copy, open_endpoint

        if endpoint_name(source) == endpoint_name(target):
            raise Refused("source and target are the same", what_to_do="Name another target.")
        async with AsyncExitStack() as stack:
            embedder = await stack.enter_async_context(open_embedder(settings))
            old = await stack.enter_async_context(open_endpoint(source, embedder=_embedder_name(embedder), make=False))
            new = await stack.enter_async_context(open_endpoint(target, embedder=_embedder_name(embedder), make=True))
            with err.status(f"Moving {old.name} to {new.name}"):
                await copy_data(old.engine, new.engine, old.name, lambda table, rows: print_line(f"{table}: {rows:,}"))
            print_line("Every table holds the same in both.")
            with err.status("Asking both"):
                await _compare(old, new, embedder)
            await finish_copy(old.engine, new.engine)
            print_line(f"{old.name} is moved to {new.name}.")
        print_note(f"{old.name} still contains people's questions. Delete it and its backups when everything works.")

    run_async(work())


async def _compare(old: MigrationEndpoint, new: MigrationEndpoint, embedder: Embedder | None) -> None:
    """Raise Refused if too few questions find the same documents in both databases."""
    from adapters.models.openai_embedder import OpenAIEmbedder
    from pipeline.values import Audience, SearchPlan
    from storage.data_migration import sample_questions
    from storage.documents.embeddings import EmbeddedDocuments
    from storage.documents.library import SQLDocumentStore

    if isinstance(embedder, OpenAIEmbedder):
        embedder.restore_dimensions(await EmbeddedDocuments(old.engine.database).embedders())
    everything = Audience(collections=frozenset(await SQLDocumentStore(old.engine.database).list_collections()))
    retrievers = [_retriever(end, embedder) for end in (old, new)]
    questions = await sample_questions(old.engine.database, CHECK_QUESTIONS)
    repeated = identical = 0
    degraded = set[str]()
    for question in questions:
        search = SearchPlan(question=question)
        results = [await retriever.retrieve(search, everything) for retriever in retrievers]
        before, after = (result.passages or result.nearest for result in results)
        repeated += not before or bool(_document_names(before[:1]) & _document_names(after))
        identical += {passage.document.id for passage in before} == {passage.document.id for passage in after}
        degraded.update(*(result.degraded for result in results))
    print_warnings(f"{part} does not work: the questions were asked without it" for part in sorted(degraded))
    print_line(
        f"Of {len(questions)} questions, {repeated} find the same first passage again "
        f"and {identical} find the same documents."
    )
    if len(questions) - repeated > max(MAX_LOST_SHARE * len(questions), 1):
        raise Refused(
            "too many questions find another first passage than before",
            what_to_do=f"Keep using {old.name}. Every other command refuses {new.name}.",
        )


def _document_names(passages: Sequence[RetrievedChunk]) -> set[str]:
    """Return the ids of their documents and their texts: one copy of a text is as good as another."""
    return {name for passage in passages for name in (passage.document.id, passage.chunk.text)}


def _retriever(end: MigrationEndpoint, embedder: Embedder | None) -> HybridRetriever:
    from pipeline.find.retrieve import HybridRetriever
    from storage.documents.index import SearchIndex
    from storage.documents.library import SQLDocumentStore

    database = end.engine.database
    library = SQLDocumentStore(database, embedder=_embedder_name(embedder))
    return HybridRetriever(SearchIndex(database, end.engine.vectors), library, embedder)


def _embedder_name(embedder: Embedder | None) -> Callable[[], str]:
    return lambda: embedder.name if embedder else ""
