"""The parts of an Office document: a ZIP archive of XML whose parts name each other by relations, checked before it is
read; and how its elements are named."""

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
    """The name of an element; empty for what is none, such as an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def local_attribute(element: etree._Element, name: str) -> str:
    """An attribute; empty where there is none."""
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")


def relationship_id(element: etree._Element, name: str = "id") -> str:
    """The id of a relation that `element` names, beside which an id of its own may stand."""
    return next((str(value) for key, value in element.items() if str(key).endswith(f"}}{name}")), "")


def parse_bounded_int(given: str | None, otherwise: int = 1, *, most: int = 1_000_000) -> int:
    """A count that an attribute claims, at most `most`."""
    return min(int(given), most) if given and given.isdecimal() and len(given) < 10 else otherwise


# --- The archive ----------------------------------------------------------------------------------

MAX_ARCHIVE_ENTRIES = 10_000
MAX_UNPACKED_BYTES = 300_000_000
"""Bytes of the XML of all entries unpacked."""
MAX_COMPRESSION_RATIO = 200
"""Unpacked to packed, for entries above RATIO_FROM: XML of real documents stays below 100."""
RATIO_CHECK_BYTES = 4_000_000
XML_SUFFIXES = (".xml", ".rels", ".vml", ".xhtml", ".html", ".htm", ".opf", ".ncx")
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
    """Entries that share bytes are what bombs without a ratio are built from."""
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
    """The last word of its type: `footnotes`, `image`."""
    target: str
    """The name of a part, or an address outside of the file."""
    is_external: bool


class OfficePackage:
    """Raises Refused for what is no archive or a hostile one; `unread` hears of parts that are damaged."""

    def __init__(self, content: bytes, unread: Callable[[str], None]) -> None:
        check_archive(content)
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._entries = {_name(entry.filename): entry for entry in self._archive.infolist()}
        self._relations: dict[str, dict[str, Relationship]] = {}
        self._unread = unread

    def main_part(self, otherwise: str) -> str:
        """The name of the part that the others belong to."""
        return next(filter(self.has, self.parts_of_kind("", "officeDocument")), otherwise)

    def relationships(self, part: str) -> dict[str, Relationship]:
        """What a part names, by id; the package itself is the part without a name."""
        if part in self._relations:
            return self._relations[part]
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found = self._relations[part] = {}
        for one in () if root is None else root.iterchildren("{*}Relationship"):
            outside = one.get("TargetMode") == "External"
            target = one.get("Target", "")
            kind = one.get("Type", "").rpartition("/")[2]
            found[one.get("Id", "")] = Relationship(kind, target if outside else _within(folder, target), outside)
        return found

    def parts_of_kind(self, part: str, kind: str) -> list[str]:
        """The names of the parts of that kind that `part` names."""
        return [one.target for one in self.relationships(part).values() if one.kind == kind and not one.is_external]

    def related_xml(self, part: str, kind: str) -> etree._Element | None:
        """The first part of that kind that `part` names and that can be read."""
        return next((root for name in self.parts_of_kind(part, kind) if (root := self.xml(name)) is not None), None)

    def title(self) -> str:
        """That a person gave the document."""
        properties = self.related_xml("", "core-properties")
        return "" if properties is None else drop_placeholder_title(properties.findtext("{*}title"))

    def has(self, name: str) -> bool:
        return _name(name) in self._entries

    def xml(self, name: str) -> etree._Element | None:
        """A part, in the namespaces of ordinary files also where it is a Strict one; None where there is none. Of a
        damaged one what can be read."""
        if not _name(name).endswith(XML_SUFFIXES) or (content := self.read(name)) is None:
            return None
        return parse_xml(_STRICT.sub(_ORDINARY, content), lambda: self._unread(f"{name}: damaged"))

    def open(self, name: str) -> IO[bytes]:
        """A part as a stream. Raises KeyError where there is none."""
        return self._archive.open(self._entries[_name(name)])

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None where there is none that can be read."""
        entry = self._entries.get(_name(name))
        if entry is None:
            return None
        if entry.file_size > _LARGEST_OTHER and not _name(name).endswith(XML_SUFFIXES):
            self._unread(f"{name}: too large")
            return None
        try:
            with self.open(name) as part:
                return part.read()
        except _BROKEN:
            self._unread(f"{name}: damaged")
            return None


def parse_xml(content: bytes, damaged: Callable[[], None] = lambda: None) -> etree._Element | None:
    """The root of XML, of a damaged one what can be read; nothing of it is looked up elsewhere."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        root: etree._Element | None = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or any(entry.level == etree.ErrorLevels.FATAL for entry in parser.error_log):
        damaged()
    return root


def _name(written: str) -> str:
    """Names of parts know no case, and some programs write them with backslashes."""
    return written.replace("\\", "/").lstrip("/").lower()


def _within(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
