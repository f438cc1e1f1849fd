"""Which of the readers takes what a web server sends."""

from __future__ import annotations

import codecs
import mimetypes
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from adapters.fetch.fetcher import Fetched
from adapters.files.kinds import SUPPORTED

PAGES = frozenset({"text/html", "application/xhtml+xml"})
_SUFFIXES = {
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-rst": ".rst",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}
_FILES = frozenset(SUPPORTED) - {".html", ".htm", ".jsonl", ".ndjson"}


def content_type(fetched: Fetched) -> tuple[str, str]:
    """The type and the charset of a response; a missing type is HTML."""
    header = Message()
    header["content-type"] = fetched.headers.get("content-type") or "text/html"
    return header.get_content_type(), str(header.get_param("charset") or "")


def file_name(address: str, media_type: str) -> str:
    """A name whose suffix says how to read the file; empty when no reader takes it."""
    path = PurePosixPath(unquote(urlsplit(address).path))
    if path.suffix.lower() in _FILES:
        return path.name
    return f"{path.stem or 'file'}{_SUFFIXES[media_type]}" if media_type in _SUFFIXES else ""


def may_be_read(address: str) -> bool:
    """Whether it is worth asking for what a link leads to: by its name it is a page or a file that a reader takes."""
    suffix = PurePosixPath(urlsplit(address).path).suffix.lower()
    guess = mimetypes.guess_type(f"file{suffix}")[0]
    return guess is None or guess in PAGES or guess in _SUFFIXES or suffix in _FILES


def as_utf8(body: bytes, charset: str) -> bytes:
    """A page whose server names the `charset`, so that every reader takes it as that."""
    try:
        if charset and not body.startswith(codecs.BOM_UTF8):
            return codecs.BOM_UTF8 + body.decode(charset, "replace").encode("utf-8", "replace")
    except LookupError:
        pass
    return body
