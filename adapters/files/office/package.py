"""The parts of an Office document, a ZIP archive of XML whose parts name each other by relations. It is checked before
it is read. Also the names of its elements."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, NamedTuple

from lxml import etree

from adapters.files.content import drop_placeholder_title
from pipeline.errors import Refused

# --- Elements and attributes by their names alone: their namespaces differ between editions of a format ---


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for nodes that are no elements, such as entities."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def local_attribute(element: etree._Element, name: str) -> str:
    """Return an attribute by its name without a namespace; empty where there is none."""
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")


def relationship_id(element: etree._Element, name: str = "id") -> str:
    """Return the id of a relation that `element` names. It may have an id of its own besides."""
    return next((str(value) for key, value in element.items() if str(key).endswith(f"}}{name}")), "")


def parse_bounded_int(text: str | None, default: int = 1, *, maximum: int = 1_000_000) -> int:
    """Parse a count of an attribute, at most `maximum`. Return `default` where it is none."""
    return min(int(text), maximum) if text and text.isdecimal() and len(text) < 10 else default


# --- The archive ----------------------------------------------------------------------------------

MAX_ARCHIVE_ENTRIES = 10_000
MAX_UNPACKED_BYTES = 300_000_000
"""Bytes of the XML of all entries unpacked."""
MAX_COMPRESSION_RATIO = 200
"""Unpacked to packed, for entries above RATIO_CHECK_BYTES: XML of real documents stays below 100."""
RATIO_CHECK_BYTES = 4_000_000
XML_SUFFIXES = (".xml", ".rels", ".vml", ".xhtml", ".html", ".htm", ".opf", ".ncx")
"""Suffixes of the entries that are read. A white bitmap is packed as small as a bomb, and nobody unpacks it."""
_NOT_READ = "customxml/"
_HOSTILE = Refused("the file is built like a decompression bomb", what_to_do="Save the document again and retry.")


def check_archive(content: bytes) -> None:
    """Check an archive. Raises Refused where it is no ZIP archive, is encrypted, or its XML would unpack to too much.
    Bombs of entities are left to the parser: libxml2 stops where they swell."""
    try:
        entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Refused("the file is damaged or not what its name says", what_to_do="Save it again.") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refused("the file is protected by a password", what_to_do="Remove the password.")
    if len(entries) > MAX_ARCHIVE_ENTRIES:
        raise _HOSTILE
    _check_overlaps(entries, len(content))
    read = [entry for entry in entries if _is_read(entry.filename.lower())]
    swollen = any(
        e.file_size > RATIO_CHECK_BYTES and e.file_size > MAX_COMPRESSION_RATIO * max(e.compress_size, 1) for e in read
    )
    if swollen or sum(entry.file_size for entry in read) > MAX_UNPACKED_BYTES:
        raise _HOSTILE


def _is_read(name: str) -> bool:
    return name.endswith(XML_SUFFIXES) and not name.lstrip("/").startswith(_NOT_READ)


def _check_overlaps(entries: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse entries that share bytes: bombs without a high ratio are built from them."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end or entry.header_offset + entry.compress_size > size:
            raise _HOSTILE
        end = entry.header_offset + 30 + len(entry.orig_filename.encode()) + entry.compress_size


_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_ORDINARY = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_LARGEST_OTHER = 40_000_000
"""Bytes of a part that is no XML."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


class Relationship(NamedTuple):
    kind: str
    """Last word of its type: `footnotes`, `image`."""
    target: str
    """Name of a part, or an address outside of the file."""
    is_external: bool


class OfficePackage:
    """An opened archive. `on_unread` is called with parts that are damaged. Raises Refused for a file that is no
    archive or a hostile one."""

    def __init__(self, content: bytes, on_unread: Callable[[str], None]) -> None:
        check_archive(content)
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._entries = {_normalize_name(entry.filename): entry for entry in self._archive.infolist()}
        self._relations: dict[str, dict[str, Relationship]] = {}
        self._unread = on_unread

    def main_part(self, default: str) -> str:
        """Return the name of the part that the others belong to."""
        return next(filter(self.has, self.parts_of_kind("", "officeDocument")), default)

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Return the relations of a part by id. The package itself is the part without a name."""
        if part in self._relations:
            return self._relations[part]
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        relations = self._relations[part] = {}
        for element in () if root is None else root.iterchildren("{*}Relationship"):
            is_external = element.get("TargetMode") == "External"
            target = element.get("Target", "")
            kind = element.get("Type", "").rpartition("/")[2]
            relations[element.get("Id", "")] = Relationship(
                kind, target if is_external else _resolve_target(folder, target), is_external
            )
        return relations

    def parts_of_kind(self, part: str, kind: str) -> list[str]:
        """Return the names of the parts of that kind that `part` names."""
        return [
            relation.target
            for relation in self.relationships(part).values()
            if relation.kind == kind and not relation.is_external
        ]

    def related_xml(self, part: str, kind: str) -> etree._Element | None:
        """Return the first part of that kind that `part` names and that can be read."""
        return next((root for name in self.parts_of_kind(part, kind) if (root := self.xml(name)) is not None), None)

    def title(self) -> str:
        """Return the title that a person gave the document."""
        properties = self.related_xml("", "core-properties")
        return "" if properties is None else drop_placeholder_title(properties.findtext("{*}title"))

    def has(self, name: str) -> bool:
        return _normalize_name(name) in self._entries

    def xml(self, name: str) -> etree._Element | None:
        """Return the root of a part, or None where there is none. Namespaces of Strict files become those of ordinary
        files. A damaged part is read as far as possible."""
        if not _normalize_name(name).endswith(XML_SUFFIXES) or (content := self.read(name)) is None:
            return None
        return parse_xml(_STRICT.sub(_ORDINARY, content), lambda: self._unread(f"{name}: damaged"))

    def open(self, name: str) -> IO[bytes]:
        """Open a part as a stream. Raises KeyError where there is none."""
        return self._archive.open(self._entries[_normalize_name(name)])

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a part; None where there is none that can be read."""
        entry = self._entries.get(_normalize_name(name))
        if entry is None:
            return None
        if entry.file_size > _LARGEST_OTHER and not _normalize_name(name).endswith(XML_SUFFIXES):
            self._unread(f"{name}: too large")
            return None
        try:
            with self.open(name) as part:
                return part.read()
        except _BROKEN:
            self._unread(f"{name}: damaged")
            return None


def parse_xml(content: bytes, on_damage: Callable[[], None] = lambda: None) -> etree._Element | None:
    """Return the root of XML, of damaged XML the readable part. Nothing is looked up elsewhere."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        root: etree._Element | None = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log):
        on_damage()
    return root


def _normalize_name(written: str) -> str:
    """Normalise the name of a part: it has no case, and some programs write it with backslashes."""
    return written.replace("\\", "/").lstrip("/").lower()


def _resolve_target(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
