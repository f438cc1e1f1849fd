"""Figures and dry runs for admins: the port `AdminService`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.admin.source_list import list_source_states
from bot.admin.trial import run_trial
from bot.citewell import Citewell
from pipeline.errors import Refused
from pipeline.find.retrieve import HybridRetriever
from pipeline.rules.access import OPERATOR, resolve_audience
from pipeline.values import Action, Actor, AnswerRequest, Audience, Document, Readers
from pipeline.values.insights import CollectionVisibility, DocumentChunks, DryRun, RejectedAnswer, SourceStatus

READ = 400
"""Answers searched for rejected sentences."""


class StoredAdminService:
    def __init__(self, citewell: Citewell) -> None:
        self._citewell = citewell

    async def list_sources(self, actor: Actor, readers: Readers) -> Sequence[SourceStatus]:
        """Return the sources as `citewell sources list` shows them."""
        seen = await self._seen(actor, readers)
        return [
            row
            for row in await list_source_states(self._citewell, self._citewell.settings.sources)
            if row.collection in seen.collections or actor.person == OPERATOR
        ]

    async def list_documents(self, actor: Actor, readers: Readers) -> Sequence[Document]:
        return await self._citewell.reading.list_documents(await self._seen(actor, readers))

    async def read_chunks(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> DocumentChunks | None:
        """Return a document as it was split; None if there is none that they may see."""
        seen = await self._seen(actor, readers)
        found = await self._citewell.storage.library.excerpt(document_id, start, most)
        if found is None or found.document.collection not in seen.collections:
            return None
        return DocumentChunks(document=found.document, chunks=found.chunks, total=found.total)

    async def list_rejected(self, actor: Actor, readers: Readers, most: int) -> Sequence[RejectedAnswer]:
        await self._seen(actor, readers)
        desk, found = self._citewell.services, list[RejectedAnswer]()
        for where, at, answer in await self._citewell.storage.archive.lately(READ):
            if not answer.ungrounded_claims or len(found) >= most:
                continue
            platform = self._citewell.rules.platforms.find_platform(where.platform) if where else None
            private = platform is None or where is None or platform.is_direct(where) or platform.is_private(where)
            others = where is not None and not self._citewell.rules.can_see_question(readers, where.workspace)
            if actor.person != OPERATOR and (private or others or await desk.find_answer(answer.id, readers) is None):
                continue
            found.append(
                RejectedAnswer(question=answer.question, at=at, sentences=answer.ungrounded_claims, answer=answer)
            )
        return found

    async def dry_run(self, actor: Actor, readers: Readers, question: str, tried_by: Readers | None) -> DryRun:
        own = await self._seen(actor, readers)
        citewell = self._citewell
        if not isinstance(citewell.retriever, HybridRetriever):
            raise Refused("this retriever cannot be watched")
        names = sorted(await citewell.storage.library.list_collections())
        readers = tried_by or readers
        theirs = resolve_audience(readers, names, citewell.rules)
        sights = [(name, citewell.rules.check_access(readers, name)) for name in names if name in own.collections]
        sees = [
            CollectionVisibility(collection=name, allowed=sight.allowed, because=sight.because)
            for name, sight in sights
        ]
        searched = Audience(collections=theirs.collections & own.collections, external=theirs.external)
        storage = citewell.storage
        return await run_trial(
            AnswerRequest(text=question, audience=searched, author=actor.person),
            sees,
            citewell.responder,
            citewell.retriever,
            storage.index,
            storage.library,
        )

    async def _seen(self, actor: Actor, readers: Readers) -> Audience:
        """Return the collections they may see. Raises NotAllowed."""
        await self._citewell.authority.require(actor, Action.READ_INSIGHTS)
        return await self._citewell.services.audience(readers)
