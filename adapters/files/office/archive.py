"""Checks on a ZIP archive before anything in it is opened (DOCX, PPTX and XLSX are ZIP archives)."""

from __future__ import annotations

import io
import zipfile

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
_HOSTILE = Refused("the file is built like a decompression bomb", what_to_do="Save the document again and retry.")


def check_archive(content: bytes) -> None:
    """Raises Refused for what is no ZIP archive, is encrypted, or whose XML would unpack to too much. Bombs of
    entities are the parser's: libxml2 stops where they swell."""
    try:
        entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Refused("the file is damaged or not what its name says", what_to_do="Save it again.") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    if len(entries) > MAX_ENTRIES:
        raise _HOSTILE
    _check_overlaps(entries, len(content))
    read = [entry for entry in entries if _is_read(entry.filename.lower())]
    swollen = any(e.file_size > RATIO_FROM and e.file_size > MAX_RATIO * max(e.compress_size, 1) for e in read)
    if swollen or sum(entry.file_size for entry in read) > MAX_TOTAL:
        raise _HOSTILE


def _is_read(name: str) -> bool:
    return name.endswith(XML) and not name.lstrip("/").startswith(_NOT_READ)


def _check_overlaps(entries: list[zipfile.ZipInfo], size: int) -> None:
    """Entries that share bytes are what bombs without a ratio are built from."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end or entry.header_offset + entry.compress_size > size:
            raise _HOSTILE
        end = entry.header_offset + 30 + len(entry.orig_filename.encode()) + entry.compress_size
