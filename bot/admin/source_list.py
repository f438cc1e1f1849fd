"""All sources as `citewell sources list` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.citewell import Citewell
from bot.config.tables import SourceTable
from bot.documents.indexing import is_path_source
from bot.documents.sync import next_sync_at
from pipeline.values import ChannelSyncState
from pipeline.values.insights import SourceStatus
from pipeline.words import wording
from storage.documents.source_state import SQLSyncOutcomes, SyncOutcome


async def list_source_states(citewell: Citewell, tables: Sequence[SourceTable]) -> list[SourceStatus]:
    """Return the sources in `tables`, then other sources of the library, then channels."""
    filled = await citewell.storage.library.list_sources()
    looks = await SQLSyncOutcomes(citewell.storage.database).last()
    settings = citewell.settings
    unread = [document for document in await citewell.storage.library.list_documents() if document.unread]

    async def row(source: str, kind: str, name: str, collection: str, due: str) -> SourceStatus:
        documents = len(await citewell.storage.library.versions(source))
        last = _outcome(*looks[source]) if source in looks else "never"
        partly = [document for document in unread if document.source == source]
        last += f"; {wording.count_noun(len(partly), 'document')} not read whole" if partly else ""
        look = looks[source][1] if source in looks else None
        failed = look is not None and bool(look.failed or look.problem or look.kept)
        return SourceStatus(
            kind=kind,
            name=name,
            collection=collection,
            documents=documents,
            last=last,
            due=due,
            failed=failed,
            unread=tuple((one.filename, one.unread) for one in partly if one.collection == collection),
        )

    found = []
    for table in tables:
        collection = table.collection or settings.default_collection
        due = _when(
            next_sync_at(table, looks[table.source_id][0] if table.source_id in looks else None, settings.sync_minutes)
        )
        found.append(await row(table.source_id, table.kind, table.name, collection, due))
    for source in filled.keys() - {table.source_id for table in tables}:
        kind, name = ("folder", source) if is_path_source(source) else source.split(":", 1)
        due = _by_path(looks.get(source), settings.sync_minutes) if is_path_source(source) else "not in citewell.toml"
        found.append(await row(source, kind, name, filled[source], due))
    rest = sorted(found[len(tables) :], key=lambda one: (one.kind, one.name))
    return [*found[: len(tables)], *rest, *await _channels(citewell)]


async def _channels(citewell: Citewell) -> list[SourceStatus]:
    looks = await citewell.storage.channel_messages.reading_states()
    states = []
    for place in sorted(await citewell.services.places.indexed_channels(), key=str):
        look, (said, due) = looks.get(place), await citewell.storage.channel_messages.count(place)
        documents = len(await citewell.storage.library.versions(str(place)))
        waiting = f", {wording.count_noun(due, 'thread')} to come" if due else ""
        states.append(
            SourceStatus(
                kind=place.platform,
                name=f"#{look.name}" if look and look.name else str(place),
                collection=str(place),
                documents=documents,
                last=f"{wording.count_noun(said, 'message')}{waiting}",
                due=_reading(look, datetime.now(UTC)),
                failed=look is not None and look.closed,
            )
        )
    return states


def _reading(look: ChannelSyncState | None, now: datetime) -> str:
    """Return how far a channel's history is read, and how long the rest may take."""
    if look is None:
        return "once citewell run is up"
    if look.closed:
        return "the bot may not read it"
    if look.complete:
        return "as it is said"
    left = look.remaining_time(now)
    rest = f"; about {wording.count_noun(max(1, round(left.total_seconds() / 86400)), 'day')} left" if left else ""
    return f"read back to {look.back_to:%Y-%m-%d}{rest}" if look.back_to else "being read"


def _by_path(look: tuple[datetime, SyncOutcome] | None, every_minutes: int) -> str:
    if not every_minutes:
        return "by hand"
    return _when(look[0] + timedelta(minutes=every_minutes) if look else datetime.min.replace(tzinfo=UTC))


def _when(moment: datetime | None) -> str:
    if moment is None:
        return "by hand"
    return "now" if moment <= datetime.now(UTC) else f"{moment:%Y-%m-%d %H:%M}"


def _outcome(at: datetime, look: SyncOutcome) -> str:
    counts = {"added": look.added, "changed": look.changed, "removed": look.removed, "failed": look.failed}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing new"
    kept = f"{wording.count_noun(look.kept, 'document')} gone and kept" if look.kept else ""
    denied = f"in no answer since {look.denied:%Y-%m-%d %H:%M}" if look.denied else ""
    return f"{at:%Y-%m-%d %H:%M} " + "; ".join(filter(None, (look.problem or told, denied, kept)))
