"""All sources as `citewell sources list` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.citewell import Citewell
from bot.config.tables import SourceTable
from bot.documents.due_sources import due_at
from bot.documents.indexing import is_path
from pipeline.values.overview import SourceState
from pipeline.words import wording
from storage.documents.sources import SourceLook, SQLSourceLooks


async def rows(citewell: Citewell, tables: Sequence[SourceTable]) -> list[SourceState]:
    """The sources in `tables`, and then those that are in the library without one."""
    filled = await citewell.storage.library.sources()
    looks = await SQLSourceLooks(citewell.storage.database).last()
    settings = citewell.settings

    async def row(source: str, kind: str, name: str, collection: str, due: str) -> SourceState:
        documents = len(await citewell.storage.library.versions(source))
        last = _outcome(*looks[source]) if source in looks else "never"
        look = looks[source][1] if source in looks else None
        failed = look is not None and bool(look.failed or look.problem or look.kept)
        return SourceState(
            kind=kind, name=name, collection=collection, documents=documents, last=last, due=due, failed=failed
        )

    found = []
    for table in tables:
        collection = table.collection or settings.default_collection
        due = _when(due_at(table, looks[table.source][0] if table.source in looks else None, settings.sync_minutes))
        found.append(await row(table.source, table.kind, table.name, collection, due))
    for source in filled.keys() - {table.source for table in tables}:
        kind, name = ("folder", source) if is_path(source) else source.split(":", 1)
        due = _by_path(looks.get(source), settings.sync_minutes) if is_path(source) else "not in citewell.toml"
        found.append(await row(source, kind, name, filled[source], due))
    return found[: len(tables)] + sorted(found[len(tables) :], key=lambda one: (one.kind, one.name))


def _by_path(look: tuple[datetime, SourceLook] | None, every_minutes: int) -> str:
    if not every_minutes:
        return "by hand"
    return _when(look[0] + timedelta(minutes=every_minutes) if look else datetime.min.replace(tzinfo=UTC))


def _when(moment: datetime | None) -> str:
    if moment is None:
        return "by hand"
    return "now" if moment <= datetime.now(UTC) else f"{moment:%Y-%m-%d %H:%M}"


def _outcome(at: datetime, look: SourceLook) -> str:
    counts = {"added": look.added, "changed": look.changed, "removed": look.removed, "failed": look.failed}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing new"
    kept = f"{wording.counted(look.kept, 'document')} gone and kept" if look.kept else ""
    return f"{at:%Y-%m-%d %H:%M} " + "; ".join(filter(None, (look.problem or told, kept)))
