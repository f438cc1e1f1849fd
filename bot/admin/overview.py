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
        visible = await self._visible_audience(actor, readers)
        return [
            row
            for row in await list_source_states(self._citewell, self._citewell.settings.sources)
            if row.collection in visible.collections or actor.person == OPERATOR
        ]

    async def list_documents(self, actor: Actor, readers: Readers) -> Sequence[Document]:
        return await self._citewell.reading.list_documents(await self._visible_audience(actor, readers))

    async def read_chunks(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> DocumentChunks | None:
        """Return a document as it was split; None if there is none that they may see."""
        visible = await self._visible_audience(actor, readers)
        excerpt = await self._citewell.storage.library.excerpt(document_id, start, most)
        if excerpt is None or excerpt.document.collection not in visible.collections:
            return None
        return DocumentChunks(document=excerpt.document, chunks=excerpt.chunks, total=excerpt.total)

    async def list_rejected(self, actor: Actor, readers: Readers, most: int) -> Sequence[RejectedAnswer]:
        await self._visible_audience(actor, readers)
        services, rejected = self._citewell.services, list[RejectedAnswer]()
        for conversation, at, answer in await self._citewell.storage.archive.lately(READ):
            if not answer.ungrounded_claims or len(rejected) >= most:
                continue
            platform = self._citewell.rules.platforms.find_platform(conversation.platform) if conversation else None
            private = (
                platform is None
                or conversation is None
                or platform.is_direct(conversation)
                or platform.is_private(conversation)
            )
            foreign = conversation is not None and not self._citewell.rules.can_see_question(
                readers, conversation.workspace
            )
            if actor.person != OPERATOR and (
                private or foreign or await services.find_answer(answer.id, readers) is None
            ):
                continue
            rejected.append(
                RejectedAnswer(question=answer.question, at=at, sentences=answer.ungrounded_claims, answer=answer)
            )
        return rejected

    async def dry_run(self, actor: Actor, readers: Readers, question: str, tried_by: Readers | None) -> DryRun:
        visible = await self._visible_audience(actor, readers)
        citewell = self._citewell
        if not isinstance(citewell.retriever, HybridRetriever):
            raise Refused("this retriever cannot be watched")
        names = sorted(await citewell.storage.library.list_collections())
        readers = tried_by or readers
        audience = resolve_audience(readers, names, citewell.rules)
        decisions = [
            (name, citewell.rules.check_access(readers, name)) for name in names if name in visible.collections
        ]
        visibilities = [
            CollectionVisibility(collection=name, allowed=decision.allowed, because=decision.because)
            for name, decision in decisions
        ]
        searched = Audience(collections=audience.collections & visible.collections, external=audience.external)
        storage = citewell.storage
        return await run_trial(
            AnswerRequest(text=question, audience=searched, author=actor.person),
            visibilities,
            citewell.responder,
            citewell.retriever,
            storage.index,
            storage.library,
        )

    async def _visible_audience(self, actor: Actor, readers: Readers) -> Audience:
        """Return the collections they may see. Raises NotAllowed."""
        await self._citewell.authority.require(actor, Action.READ_INSIGHTS)
        return await self._citewell.services.audience(readers)
