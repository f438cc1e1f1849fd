"""Signed links to passages. A link opens its document to anybody who holds it, as long as the cited version, its
collection and the collection's rule stay the same."""

from __future__ import annotations

import hashlib
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, NamedTuple, Self

from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

from adapters.web.settings import WebSettings
from pipeline.compose.citations import DOCUMENT_URL_LINKS
from pipeline.ports import LinkTargets
from pipeline.values import Chunk, Document, DocumentExcerpt, RetrievedChunk

LIFETIME = timedelta(days=30)
LINK_CLOCK_SKEW = timedelta(hours=1)
"""How far the clock of the process that signed a link may be ahead of ours: a link dated later opens nothing yet."""
CITED_FRAGMENT = "cited"
"""The fragment that leads to the cited words on the page."""
MAX_TOKEN_CHARS = 1_000
"""Characters of a token; ours have 300 at most."""
_MAX_FULL_ID, _PREFIX = 48, 12
"""Bytes of a document's id that a link holds unabbreviated, and the characters that it holds of a longer id."""
_MAX_SPANS = 8
_DIGEST_CHARS = 8
_ABBREVIATED = "…"


class InvalidLinkReason(StrEnum):
    """The reason why a link opens nothing."""

    UNKNOWN = "unknown"
    """It is not signed with the current key."""
    EXPIRED = "expired"
    REMOVED = "removed"
    CHANGED = "changed"
    RULE = "rule"
    """Other people may see the collection than when the link was made."""
    MOVED = "moved"
    """Its document is in another collection now."""


class InvalidLink(Exception):
    """A link opens nothing."""

    def __init__(self, reason: InvalidLinkReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class LinkTarget(NamedTuple):
    """The passage that a valid link leads to."""

    document: Document
    chunk: Chunk
    total: int
    """Chunks of the document."""
    spans: tuple[tuple[int, int], ...]
    """Start and end of each quote in the chunk; ascending, without overlaps."""


def make_signed_links(settings: WebSettings, sources: LinkTargets) -> SignedLinks | None:
    """Return links that lead to the page; None where readers cannot reach it."""
    return SignedLinks(settings.url, sources) if settings.listen and settings.url else None


class SignedLinks:
    """The port `PassageLinks`, and the way back from a link to its passage. `url` is the address at which readers reach
    the page, `clock` returns seconds since 1970."""

    def __init__(self, url: str, sources: LinkTargets, clock: Callable[[], float] = time.time) -> None:
        self._url = url.rstrip("/")
        self.link_targets = sources
        self._clock = clock
        self._serializer: URLSafeTimedSerializer | None = None

    async def load_key(self) -> Self:
        """Load the key that is in force now, to sign with it. Raises Unavailable."""
        self._serializer = _serializer(await self.link_targets.signing_key(), self._clock)
        return self

    def build_url(self, passage: RetrievedChunk, quotes: Sequence[str] = ()) -> str:
        """Return the document's own address, or a link that opens the passage here with the quotes marked. Call
        `load_key` first."""
        if document_url := DOCUMENT_URL_LINKS.build_url(passage, quotes):
            return document_url
        if self._serializer is None:
            raise RuntimeError("no key was read")
        chunk, document = passage.chunk, passage.document
        fingerprints = "".join(self._fingerprints(document, chunk))
        spans = (number for start, end in _find_spans(chunk, quotes) for number in (start, end - start))
        # The payload is one flat list, as links have to be short: start and length of each span follow at the end.
        token = self._serializer.dumps([_abbreviate(document.id), chunk.position, fingerprints, *spans])
        return f"{self._url}/s/{token}#{CITED_FRAGMENT}"

    async def resolve(self, token: str) -> LinkTarget:
        """Return the target of a link. Raises InvalidLink, or Unavailable."""
        name, position, fingerprints, *numbers = await self._decode(token)
        document_id = await self._expand_id(name)
        excerpt = await self.link_targets.excerpt(document_id, position, 1) if document_id else None
        if excerpt is None:
            raise InvalidLink(InvalidLinkReason.REMOVED)
        signed = [fingerprints[at : at + _DIGEST_CHARS] for at in range(0, len(fingerprints), _DIGEST_CHARS)]
        current = self._fingerprints(excerpt.document, excerpt.chunks[0] if excerpt.chunks else None)
        for before, after, reason in zip(
            signed, current, (InvalidLinkReason.MOVED, InvalidLinkReason.RULE, InvalidLinkReason.CHANGED), strict=True
        ):
            if before != after:
                raise InvalidLink(reason)
        # start, length, start, length, …
        spans = tuple((start, start + length) for start, length in zip(numbers[::2], numbers[1::2], strict=True))
        return LinkTarget(excerpt.document, excerpt.chunks[0], excerpt.total, spans)

    async def excerpt(self, cited: LinkTarget, start: int, limit: int) -> DocumentExcerpt:
        """Return at most `limit` chunks of a document that a link opened, from the one at `start` on. Raises as
        `resolve`."""
        excerpt = await self.link_targets.excerpt(cited.document.id, start, limit)
        if excerpt is None or excerpt.document != cited.document or excerpt.total != cited.total:
            raise InvalidLink(InvalidLinkReason.CHANGED)
        return excerpt

    async def _decode(self, token: str) -> list[Any]:
        serializer = (await self.load_key())._serializer  # noqa: SLF001 our own
        try:
            if serializer is None or len(token) > MAX_TOKEN_CHARS:
                raise InvalidLink(InvalidLinkReason.UNKNOWN)
            values, signed_at = serializer.loads(token, return_timestamp=True)
        except BadData:
            raise InvalidLink(InvalidLinkReason.UNKNOWN) from None
        if not -LINK_CLOCK_SKEW.total_seconds() <= self._clock() - signed_at.timestamp() <= LIFETIME.total_seconds():
            raise InvalidLink(InvalidLinkReason.EXPIRED)
        return list(values)

    async def _expand_id(self, name: str) -> str:
        """Return the id of the document that a link abbreviates to `name`; empty where there is none."""
        beginning, abbreviated, _ = name.rpartition(_ABBREVIATED)
        if not abbreviated:
            return name
        return next(
            (
                document_id
                for document_id in await self.link_targets.find_by_prefix(beginning)
                if _abbreviate(document_id) == name
            ),
            "",
        )

    def _fingerprints(self, document: Document, chunk: Chunk | None) -> tuple[str, str, str]:
        """Return digests of what must not change: the collection, its rule, and the version with its passage."""
        collection = document.collection
        version = f"{document.version}\n{chunk.id if chunk else ''}"
        return _digest(collection), _digest(self.link_targets.access_fingerprint(collection)), _digest(version)


class _Signer(TimestampSigner):
    """A signer with an injected clock."""

    def __init__(self, *args: Any, clock: Callable[[], float], **more: Any) -> None:
        super().__init__(*args, **more)
        self._clock = clock

    def get_timestamp(self) -> int:
        return int(self._clock())


def _serializer(key: str, clock: Callable[[], float]) -> URLSafeTimedSerializer:
    signer_options = {"key_derivation": "hmac", "digest_method": hashlib.sha256, "clock": clock}
    return URLSafeTimedSerializer(key, salt="links to passages", signer=_Signer, signer_kwargs=signer_options)


def _digest(text: str) -> str:
    """Return 48 bits of the SHA-256. Two texts made to share them would only let an old link open its maker's own
    text."""
    return urlsafe_b64encode(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:6]).decode()


def _abbreviate(document_id: str) -> str:
    """Return the id as a link holds it: links have to fit into a message."""
    if len(document_id.encode("utf-8", "replace")) <= _MAX_FULL_ID and _ABBREVIATED not in document_id:
        return document_id
    return f"{document_id[:_PREFIX]}{_ABBREVIATED}{_digest(document_id)}"


def _find_spans(chunk: Chunk, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans of `quotes`, if possible outside of the text that the chunk repeats from the one before.
    Adjacent spans are merged."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(span for quote in quotes if quote and (span := _find_span(chunk, quote))):
        last = spans[-1] if spans else (0, -1)
        if spans and (start <= last[1] or re.fullmatch(r"\s+", chunk.text[last[1] : start])):
            spans[-1] = (last[0], max(last[1], end))
        else:
            spans.append((start, end))
    return spans[:_MAX_SPANS]


def _find_span(chunk: Chunk, quote: str) -> tuple[int, int] | None:
    start = chunk.text.find(quote, chunk.overlap)
    start = start if start >= 0 else chunk.text.find(quote)
    return (start, start + len(quote)) if start >= 0 else None
