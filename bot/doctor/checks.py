"""What is most likely a mistake although everything works: lines for the operator."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from bot.citewell import Citewell
from bot.config.settings import Settings, configured
from bot.documents.serving import Serving, wanted
from pipeline.values import Place, PlaceId
from pipeline.words import wording
from storage.documents.embedded import EmbeddedDocuments

REACH_SECONDS = 1.0
EMBED = "To embed them: citewell index --rebuild"


async def idle_rules(citewell: Citewell) -> list[str]:
    """A line for each rule in the settings that no collection has the name of, and each place that searches none."""
    library = citewell.storage.library
    there = {*await library.collections(), *(await library.sources()).values()}
    return [
        *rules_without_collection(citewell.rules.named, there),
        *places_without_collection(citewell.settings.places, there),
        *places_that_keep_nothing(citewell.settings.places, there | set(citewell.rules.named)),
    ]


def doubtful_platforms(settings: Settings) -> list[str]:
    """What each platform doubts of its own settings and places."""
    return [
        line
        for config in configured(settings)
        for line in config.doubts(
            {place: sets for place, sets in settings.places.items() if place.platform == config.platform.name}
        )
    ]


def places_without_collection(places: Mapping[PlaceId, Place], there: Collection[str]) -> list[str]:
    """A line for each collection that is to be searched somewhere and is not there; nothing while there are none."""
    lines = []
    for place, sets in _in_order(places):
        for name in set(sets.collections or ()).difference(there) if there else ():
            meant = _nearest(name, there)
            hint = f"Did you mean {meant}?" if meant else f"There is {', '.join(sorted(there))}."
            lines.append(f'[places."{place}"] searches {name}, and there is no such collection. {hint}')
    return lines


def places_that_keep_nothing(places: Mapping[PlaceId, Place], known: Collection[str]) -> list[str]:
    """A line for each place whose replies would be kept in a collection that is neither there nor has a rule."""
    return [
        f'[places."{place}"] keeps replies in {sets.teach}, and there is no such collection: they are not kept. Name '
        f"one that is there, or say in [collections.{sets.teach}] who may see it."
        for place, sets in _in_order(places)
        if sets.teach and sets.teach not in known
    ]


def _in_order(places: Mapping[PlaceId, Place]) -> list[tuple[PlaceId, Place]]:
    return sorted(places.items(), key=lambda item: str(item[0]))


def rules_without_collection(rules: Collection[str], collections: Collection[str]) -> list[str]:
    """The same from names alone; nothing while there are no collections."""
    if not collections:
        return []
    there = ", ".join(sorted(collections))
    lines = []
    for name in sorted(set(rules) - set(collections)):
        meant = _nearest(name, set(collections) - set(rules))
        hint = f" Did you mean {meant}? As it stands, everyone inside may see {meant}." if meant else ""
        lines.append(f"The rule [collections.{name}] fits no collection; there is {there}.{hint}")
    return lines


def _nearest(name: str, candidates: Iterable[str]) -> str:
    by_plain = {candidate.casefold(): candidate for candidate in sorted(candidates)}
    near = difflib.get_close_matches(name.casefold(), by_plain, n=1, cutoff=0.6)
    return by_plain[near[0]] if near else ""


async def not_embedded(citewell: Citewell) -> list[str]:
    """A line with the remedy when an embedder is set and some documents are embedded with another, or with none."""
    said = await embedded_otherwise(citewell)
    return [f"{said}. {EMBED}"] if said else []


async def embedded_otherwise(citewell: Citewell) -> str:
    """The same without the remedy; empty where all is well."""
    if citewell.embedder is None:
        return ""
    documents = EmbeddedDocuments(citewell.storage.database)
    embedders, new = await documents.embedders(), wanted(citewell.embedder)
    total = sum(embedders.values())
    count, ready = total - embedders.get(new.name, 0), await documents.ready(new.name)
    asked = f"embedded with CITEWELL_EMBEDDER={citewell.settings.embedder}"
    if not count:
        return ""
    if isinstance(citewell.embedder, Serving) and citewell.embedder.changing:
        done = total - count + ready
        return f"{done} of {total} documents are {asked}; until all are, {citewell.embedder.name} is searched with"
    found = wording.counted(count, "document is", "documents are")
    waiting = f" until all are, as {ready} already {'is' if ready == 1 else 'are'}" if ready else ""
    return f"{found} not {asked} and found by words only{waiting}"


def unknown_gold(rows: Iterable[Mapping[str, Any]], ids: Sequence[str]) -> list[str]:
    """A line when documents that are said to be right are not there, so that recall cannot be 1."""
    gold = dict.fromkeys(str(name) for row in rows for name in row.get("gold_doc_ids") or ())
    unknown = [name for name in gold if name not in set(ids)]
    if not unknown:
        return []
    count = f"{len(unknown)} of {len(gold)} gold_doc_ids fit no document"
    return [f"{count}, such as {unknown[0]}; ids of documents look like {ids[0]}"]


async def missing_server(url: str | None) -> list[str]:
    """A line when nothing answers at the address of the Chroma server."""
    if not url:
        return []
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(REACH_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:  # TimeoutError is one, too
        where = f"{parts.hostname}:{port}"
        return [f"The Chroma server of CITEWELL_CHROMA_URL ({where}) cannot be reached; search works without it."]
    writer.close()
    return []
