"""The other walk: source -> parse -> split -> embed -> library.

A document that fails is reported and the rest goes on; what was there of it keeps serving.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from pipeline.errors import Unavailable
from pipeline.ingest.stages import Split, Stages, side_by_side
from pipeline.ingest.tally import Change, Event, Failed, Summary, Tally, Underway
from pipeline.ports import DocumentSource, Embedder, Library, SourceItem, Withholding
from pipeline.values import replace

__all__ = ["HANDFUL", "Change", "Event", "Failed", "Summary", "Underway", "ingest", "loses"]

HANDFUL = 5
"""Documents that may always be gone at once, as long as others are left."""


async def ingest(
    source: DocumentSource,
    library: Library,
    splitter: Split,
    embedder: Embedder | None,
    on_event: Callable[[Event], None],
    *,
    flag: Callable[[str], bool],
    collection: str = "default",
    losing: bool = True,
) -> Summary:
    """Bring `library` up to date with `source`: new and changed documents replaced whole, gone ones forgotten.

    What is there of it is in `collection` before anything is read: a document that cannot be read now is not left
    where others see it; what nobody sees stays so until all was listed again, and something was there.

    What the source withholds is forgotten before anything is read. Without an embedder, or when it fails, documents
    are stored without vectors. Of a source that lets us read nothing any more nobody sees anything until it was listed
    whole again; what it does not list then is forgotten, however much that is. Nothing else is forgotten when the
    source could not list everything or became unavailable while it was read, and without `losing` not when too few
    documents would be left: the summary names what was kept. Raises what `library` raises, and Refused when the source
    does not exist.
    """
    withheld = await library.withheld(source.name)
    moved = set() if withheld else set(await library.claim(source.name, collection))
    items, unlisted = await _list(source)
    tally = Tally(on_event, len(items))
    if unlisted:
        tally.failed(source.name, unlisted, whole=True)
        if unlisted.denied and not items:
            await library.withhold(source.name)
            return replace(tally.summary(""), unreached=str(unlisted), denied=True)
    known = await library.versions(source.name)
    listed = {item.id for item in items}
    closed = known.keys() & (source.withheld if isinstance(source, Withholding) else frozenset())
    back = withheld and items and not unlisted
    if back:
        closed |= known.keys() - listed
    if closed:
        await _forget(closed, library, tally)
        known = {document: version for document, version in known.items() if document not in closed}
    if back:
        moved = set(await library.claim(source.name, collection))
    stages = Stages(source, library, splitter, embedder, flag, collection, known, moved, tally, unreached=unlisted)
    await side_by_side(stages, items)
    gone = known.keys() - listed
    summary = tally.summary(stages.degraded)
    if stages.unreached:
        return replace(summary, unreached=str(stages.unreached))
    if not losing and loses(len(known), len(gone), summary.added):
        return replace(summary, kept=tuple(sorted(gone)))
    if gone:
        await _forget(gone, library, tally)
    return tally.summary(stages.degraded)


async def _forget(documents: Set[str], library: Library, tally: Tally) -> None:
    await library.remove(documents)
    for document_id in sorted(documents):
        tally.count(Change.REMOVED, document_id)


def loses(known: int, gone: int, added: int) -> bool:
    """Whether a source with `known` documents would be emptied, or lose more than a HANDFUL and than a third of them:
    that is how a share that is not mounted, or a service that answers with less, looks like."""
    left = known - gone + added
    return bool(gone) and (not left or (gone > HANDFUL and 3 * left < 2 * known))


async def _list(source: DocumentSource) -> tuple[list[SourceItem], Unavailable | None]:
    """All items, and why there may be more."""
    items: list[SourceItem] = []
    try:
        async for item in source.items():
            items.append(item)  # noqa: PERF401 what came before an error counts
    except Unavailable as error:
        return items, error
    return items, None
