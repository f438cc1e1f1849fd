"""Warnings about likely mistakes although everything works: lines for the operator."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from bot.citewell import Citewell
from bot.config.settings import Settings, platform_configs
from bot.documents.reembedding import FallbackEmbedder, target_embedder
from pipeline.values import PlaceId, PlaceSettings
from pipeline.words import wording
from storage.documents.embeddings import EmbeddedDocuments

CHROMA_PROBE_SECONDS = 1.0
REEMBED_HINT = "To embed them: citewell index --rebuild"


async def find_unused_rules(citewell: Citewell) -> list[str]:
    """Return a line for each rule without a collection, and each place that searches a missing one."""
    library = citewell.storage.library
    existing = {*await library.list_collections(), *(await library.list_sources()).values()}
    return [
        *find_rules_without_collection(citewell.rules.by_collection, existing),
        *find_missing_collections(citewell.settings.places, existing),
        *find_unusable_reply_collections(citewell.settings.places, existing | set(citewell.rules.by_collection)),
    ]


def platform_warnings(settings: Settings) -> list[str]:
    """Return each platform's warnings about its own settings and places."""
    return [
        line
        for config in platform_configs(settings)
        for line in config.setting_warnings(
            {
                place: place_settings
                for place, place_settings in settings.places.items()
                if place.platform == config.platform.name
            }
        )
    ]


def find_missing_collections(places: Mapping[PlaceId, PlaceSettings], existing: Collection[str]) -> list[str]:
    """Return a line for each collection that a place searches and that does not exist; nothing while there are none."""
    lines = []
    for place, place_settings in _in_order(places):
        for name in set(place_settings.collections or ()).difference(existing) if existing else ():
            meant = _nearest(name, existing)
            hint = f"Did you mean {meant}?" if meant else f"There is {', '.join(sorted(existing))}."
            lines.append(f'[places."{place}"] searches {name}, and there is no such collection. {hint}')
    return lines


def find_unusable_reply_collections(places: Mapping[PlaceId, PlaceSettings], existing: Collection[str]) -> list[str]:
    """Return a line for each place that would keep replies in a collection that neither exists nor has a rule."""
    return [
        f'[places."{place}"] keeps replies in {place_settings.teach}, and there is no such collection: '
        "they are not kept. Name "
        f"one that is there, or say in [collections.{place_settings.teach}] who may see it."
        for place, place_settings in _in_order(places)
        if place_settings.teach and place_settings.teach not in existing
    ]


def _in_order(places: Mapping[PlaceId, PlaceSettings]) -> list[tuple[PlaceId, PlaceSettings]]:
    return sorted(places.items(), key=lambda item: str(item[0]))


def find_rules_without_collection(rules: Collection[str], collections: Collection[str]) -> list[str]:
    """Return a line for each rule without a collection; nothing while there are no collections."""
    if not collections:
        return []
    existing = ", ".join(sorted(collections))
    lines = []
    for name in sorted(set(rules) - set(collections)):
        meant = _nearest(name, set(collections) - set(rules))
        hint = f" Did you mean {meant}? Now every member may see {meant}." if meant else ""
        lines.append(f"The rule [collections.{name}] fits no collection; there is {existing}.{hint}")
    return lines


def _nearest(name: str, candidates: Iterable[str]) -> str:
    by_plain = {candidate.casefold(): candidate for candidate in sorted(candidates)}
    near = difflib.get_close_matches(name.casefold(), by_plain, n=1, cutoff=0.6)
    return by_plain[near[0]] if near else ""


async def warn_stale_embeddings(citewell: Citewell) -> list[str]:
    """Return a line with the remedy when some documents are not embedded with the embedder that is set."""
    warning = await describe_stale_embeddings(citewell)
    return [f"{warning}. {REEMBED_HINT}"] if warning else []


async def describe_stale_embeddings(citewell: Citewell) -> str:
    """Return that line without the remedy; empty when all documents are."""
    if citewell.embedder is None:
        return ""
    documents = EmbeddedDocuments(citewell.storage.database)
    embedders, new = await documents.embedders(), target_embedder(citewell.embedder)
    total = sum(embedders.values())
    count, ready = total - embedders.get(new.name, 0), await documents.count_ready(new.name)
    target_text = f"embedded with CITEWELL_EMBEDDER={citewell.settings.embedder}"
    if not count:
        return ""
    if isinstance(citewell.embedder, FallbackEmbedder) and citewell.embedder.is_reembedding:
        done = total - count + ready
        return (
            f"{done} of {total} documents are {target_text}; until all are, {citewell.embedder.name} is searched with"
        )
    text = wording.count_noun(count, "document is", "documents are")
    waiting = f" until all are, as {ready} already {'is' if ready == 1 else 'are'}" if ready else ""
    return f"{text} not {target_text} and found by words only{waiting}"


def find_unknown_gold(rows: Iterable[Mapping[str, Any]], ids: Sequence[str]) -> list[str]:
    """Return a line when gold documents do not exist, so that recall cannot be 1."""
    gold = dict.fromkeys(str(name) for row in rows for name in row.get("gold_doc_ids") or ())
    unknown = [name for name in gold if name not in set(ids)]
    if not unknown:
        return []
    count = f"{len(unknown)} of {len(gold)} gold_doc_ids fit no document"
    return [f"{count}, such as {unknown[0]}; ids of documents look like {ids[0]}"]


async def warn_unreachable_server(url: str | None) -> list[str]:
    """Return a line when nothing answers at the address of the Chroma server."""
    if not url:
        return []
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CHROMA_PROBE_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:  # TimeoutError is one, too
        where = f"{parts.hostname}:{port}"
        return [f"The Chroma server of CITEWELL_CHROMA_URL ({where}) cannot be reached; search works without it."]
    writer.close()
    return []
