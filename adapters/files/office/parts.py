"""The parts of an Office file: XML in a ZIP archive, which refer to each other by relations."""

from __future__ import annotations

import io
import posixpath
import zipfile
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from adapters.files.office.archive import check_archive


class Relation(NamedTuple):
    kind: str
    """The last word of its type: `slideLayout`."""
    target: str
    """A part, or an address outside."""


class Package:
    """An archive whose parts are read one at a time. Raises Refused for a hostile or damaged one."""

    def __init__(self, content: bytes, *, declares: bool = False) -> None:
        """`declares`: as of `check_archive`."""
        check_archive(content, declares=declares)
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._names = {name.replace("\\", "/").lower(): name for name in self._archive.namelist()}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    def bytes(self, part: str) -> bytes:
        """Raises KeyError where there is none."""
        return self._archive.read(self._names[part.lower()])

    def xml(self, part: str) -> etree._Element:
        """Raises KeyError where there is none, XMLSyntaxError where it is broken."""
        return parsed(self.bytes(part))

    def relations(self, part: str) -> dict[str, Relation]:
        """What `part` refers to, by the id that it uses."""
        folder, name = posixpath.split(part)
        own = posixpath.join(folder, "_rels", f"{name}.rels")
        if own not in self:
            return {}
        return {
            found.get("Id", ""): Relation(found.get("Type", "").rpartition("/")[2], _target(folder, found))
            for found in self.xml(own).iterfind("{*}Relationship")
        }

    def related(self, part: str, kind: str) -> str:
        """The first part of that kind that `part` refers to; empty where there is none."""
        return next((found.target for found in self.relations(part).values() if found.kind == kind), "")


def parsed(content: bytes) -> etree._Element:
    """XML without entities from elsewhere. Raises XMLSyntaxError."""
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))


def local(element: etree._Element) -> str:
    """The name of an element without its namespace, which is another in Strict files."""
    return etree.QName(element).localname


def reference(element: etree._Element, name: str = "id") -> str:
    """The id of a relation that `element` names; empty where it names none."""
    return next((str(value) for key, value in element.items() if str(key).endswith(f"}}{name}")), "")


def _target(folder: str, relation: etree._Element) -> str:
    target = relation.get("Target", "")
    if relation.get("TargetMode") == "External":
        return target
    return posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
