"""Checks on a ZIP archive before anything in it is opened (DOCX, PPTX and XLSX are ZIP archives)."""

from __future__ import annotations

import io
import zipfile
import zlib

from pipeline.errors import Refused

MAX_ENTRIES = 10_000
MAX_TOTAL = 300_000_000
"""Bytes of the XML of all entries unpacked."""
MAX_RATIO = 200
"""Unpacked to packed, for entries above RATIO_FROM: XML of real documents stays below 100."""
RATIO_FROM = 4_000_000
XML = (".xml", ".rels", ".vml", ".xhtml", ".html", ".htm", ".opf", ".ncx")
"""Entries that are read. A white bitmap is packed as small as a bomb, and nobody unpacks it."""
_NOT_READ = "customxml/"
_START = 4096
_HOSTILE = Refused("the file is built like a decompression bomb", what_to_do="Save the document again and retry.")


def check_archive(content: bytes, *, declares: bool = False) -> None:
    """Raises Refused for what is no ZIP archive, is encrypted, or whose XML would unpack to too much. `declares`:
    whether its parts may declare a document type, as those of e-books do."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Refused("the file is damaged or not what its name says", what_to_do="Save it again.") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    if len(entries) > MAX_ENTRIES:
        raise _HOSTILE
    _check_overlaps(entries, len(content))
    read = [entry for entry in entries if _is_read(entry.filename.lower())]
    _check_sizes(read)
    if not declares:
        _check_declarations(archive, read)


def _is_read(name: str) -> bool:
    return name.endswith(XML) and not name.lstrip("/").startswith(_NOT_READ)


def _check_sizes(entries: list[zipfile.ZipInfo]) -> None:
    if sum(entry.file_size for entry in entries) > MAX_TOTAL:
        raise _HOSTILE
    for entry in entries:
        if entry.file_size > RATIO_FROM and entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            raise _HOSTILE


def _check_overlaps(entries: list[zipfile.ZipInfo], size: int) -> None:
    """Entries that share bytes are what bombs without a ratio are built from."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end or entry.header_offset + entry.compress_size > size:
            raise _HOSTILE
        end = entry.header_offset + 30 + len(entry.orig_filename.encode()) + entry.compress_size


def _check_declarations(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Office never declares a document type; a bomb of entities has to."""
    for entry in entries:
        try:
            with archive.open(entry) as part:
                start = part.read(_START)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
            continue  # its reader says that it is damaged
        if b"<!DOCTYPE" in start.replace(b"\0", b"") or b"<!ENTITY" in start.replace(b"\0", b""):
            raise _HOSTILE
