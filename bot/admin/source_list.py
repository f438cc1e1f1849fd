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
    outcomes = await SQLSyncOutcomes(citewell.storage.database).last()
    settings = citewell.settings
    unread = [document for document in await citewell.storage.library.list_documents() if document.unread]

    async def row(source: str, kind: str, name: str, collection: str, due: str) -> SourceStatus:
        documents = len(await citewell.storage.library.versions(source))
        last = _describe_outcome(*outcomes[source]) if source in outcomes else "never"
        partly = [document for document in unread if document.source == source]
        last += f"; {wording.count_noun(len(partly), 'document')} not read whole" if partly else ""
        outcome = outcomes[source][1] if source in outcomes else None
        failed = outcome is not None and bool(outcome.failed or outcome.problem or outcome.kept)
        return SourceStatus(
            kind=kind,
            name=name,
            collection=collection,
            documents=documents,
            last=last,
            due=due,
            failed=failed,
            unread=tuple(
                (document.filename, document.unread) for document in partly if document.collection == collection
            ),
        )

    states = []
    for table in tables:
        collection = table.collection or settings.default_collection
        due = _format_due(
            next_sync_at(
                table, outcomes[table.source_id][0] if table.source_id in outcomes else None, settings.sync_minutes
            )
        )
        states.append(await row(table.source_id, table.kind, table.name, collection, due))
    for source in filled.keys() - {table.source_id for table in tables}:
        kind, name = ("folder", source) if is_path_source(source) else source.split(":", 1)
        due = (
            _next_path_sync(outcomes.get(source), settings.sync_minutes)
            if is_path_source(source)
            else "not in citewell.toml"
        )
        states.append(await row(source, kind, name, filled[source], due))
    others = sorted(states[len(tables) :], key=lambda state: (state.kind, state.name))
    return [*states[: len(tables)], *others, *await _list_channels(citewell)]


async def _list_channels(citewell: Citewell) -> list[SourceStatus]:
    sync_states = await citewell.storage.channel_messages.reading_states()
    states = []
    for place in sorted(await citewell.services.places.indexed_channels(), key=str):
        state, (messages, due) = sync_states.get(place), await citewell.storage.channel_messages.count(place)
        documents = len(await citewell.storage.library.versions(str(place)))
        waiting = f", {wording.count_noun(due, 'thread')} to come" if due else ""
        states.append(
            SourceStatus(
                kind=place.platform,
                name=f"#{state.name}" if state and state.name else str(place),
                collection=str(place),
                documents=documents,
                last=f"{wording.count_noun(messages, 'message')}{waiting}",
                due=_describe_progress(state, datetime.now(UTC)),
                failed=state is not None and state.closed,
            )
        )
    return states


def _describe_progress(state: ChannelSyncState | None, now: datetime) -> str:
    """Return how far a channel's history is read, and how long the rest may take."""
    if state is None:
        return "once citewell run is up"
    if state.closed:
        return "the bot may not read it"
    if state.complete:
        return "as it is said"
    remaining = state.remaining_time(now)
    rest = (
        f"; about {wording.count_noun(max(1, round(remaining.total_seconds() / 86400)), 'day')} left"
        if remaining
        else ""
    )
    return f"read back to {state.back_to:%Y-%m-%d}{rest}" if state.back_to else "being read"


def _next_path_sync(last_sync: tuple[datetime, SyncOutcome] | None, every_minutes: int) -> str:
    if not every_minutes:
        return "by hand"
    return _format_due(
        last_sync[0] + timedelta(minutes=every_minutes) if last_sync else datetime.min.replace(tzinfo=UTC)
    )


def _format_due(moment: datetime | None) -> str:
    if moment is None:
        return "by hand"
    return "now" if moment <= datetime.now(UTC) else f"{moment:%Y-%m-%d %H:%M}"


def _describe_outcome(at: datetime, outcome: SyncOutcome) -> str:
    counts = {"added": outcome.added, "changed": outcome.changed, "removed": outcome.removed, "failed": outcome.failed}
    changes = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing new"
    retained = f"{wording.count_noun(outcome.kept, 'document')} gone and kept" if outcome.kept else ""
    denied = f"in no answer since {outcome.denied:%Y-%m-%d %H:%M}" if outcome.denied else ""
    return f"{at:%Y-%m-%d %H:%M} " + "; ".join(filter(None, (outcome.problem or changes, denied, retained)))
