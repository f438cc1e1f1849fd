"""How it goes, for admins: the port `Overview`."""

from __future__ import annotations

from collections.abc import Sequence

from bot.admin.source_list import rows
from bot.admin.trial import tried
from bot.citewell import Citewell
from pipeline.errors import Refused
from pipeline.find.retrieve import HybridRetriever
from pipeline.rules.access import OPERATOR, audience
from pipeline.values import Action, Actor, Audience, Document, Readers, Request
from pipeline.values.insights import Left, Passages, Seen, SourceState, Trial

READ = 400
"""Answers that are looked through for what was left out."""


class AdminOverview:
    def __init__(self, citewell: Citewell) -> None:
        self._citewell = citewell

    async def sources(self, actor: Actor, readers: Readers) -> Sequence[SourceState]:
        """As `citewell sources list` has them."""
        seen = await self._seen(actor, readers)
        return [
            row
            for row in await rows(self._citewell, self._citewell.settings.sources)
            if row.collection in seen.collections or actor.person == OPERATOR
        ]

    async def documents(self, actor: Actor, readers: Readers) -> Sequence[Document]:
        return await self._citewell.reading.documents(await self._seen(actor, readers))

    async def passages(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> Passages | None:
        """A document as it was split; None where there is none that they may see."""
        seen = await self._seen(actor, readers)
        found = await self._citewell.storage.library.excerpt(document_id, start, most)
        if found is None or found.document.collection not in seen.collections:
            return None
        return Passages(document=found.document, chunks=found.chunks, total=found.total)

    async def left(self, actor: Actor, readers: Readers, most: int) -> Sequence[Left]:
        """See `Overview`."""
        await self._seen(actor, readers)
        desk, found = self._citewell.desk, list[Left]()
        for where, at, answer in await self._citewell.storage.archive.lately(READ):
            if not answer.ungrounded_claims or len(found) >= most:
                continue
            platform = self._citewell.rules.platforms.of(where.platform) if where else None
            private = platform is None or where is None or platform.direct(where) or platform.private(where)
            others = where is not None and not self._citewell.rules.hear(readers, where.workspace)
            if actor.person != OPERATOR and (private or others or await desk.answer(answer.id, readers) is None):
                continue
            found.append(Left(question=answer.question, at=at, sentences=answer.ungrounded_claims, answer=answer))
        return found

    async def trial(self, actor: Actor, readers: Readers, question: str, tried_by: Readers | None) -> Trial:
        """See `Overview`."""
        own = await self._seen(actor, readers)
        citewell = self._citewell
        if not isinstance(citewell.retriever, HybridRetriever):
            raise Refused("this retriever cannot be watched")
        names = sorted(await citewell.storage.library.collections())
        readers = tried_by or readers
        theirs = audience(readers, names, citewell.rules)
        sights = [(name, citewell.rules.sight(readers, name)) for name in names if name in own.collections]
        sees = [Seen(collection=name, allowed=sight.allowed, because=sight.because) for name, sight in sights]
        searched = Audience(collections=theirs.collections & own.collections, external=theirs.external)
        storage = citewell.storage
        return await tried(
            Request(text=question, audience=searched, author=actor.person),
            sees,
            citewell.responder,
            citewell.retriever,
            storage.index,
            storage.library,
        )

    async def _seen(self, actor: Actor, readers: Readers) -> Audience:
        """What they may see. Raises NotAllowed."""
        await self._citewell.authority.require(actor, Action.READ_INSIGHTS)
        return await self._citewell.desk.audience(readers)
