"""EPUB -> blocks: its chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from copy import deepcopy
from urllib.parse import unquote, urldefrag

from lxml import etree

from adapters.files.office.elements import attribute, local
from adapters.files.office.package import Package
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from adapters.files.text.html import read_into
from pipeline.errors import Refused

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_ROLES = {"noteref": "doc-noteref", **dict.fromkeys(("footnote", "endnote", "rearnote"), "doc-footnote")}
_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[a-z]|[ivx]{1,5}|[*†‡§¶]{1,3})[\])]?")
_NOTES = frozenset({"p", "li", "aside", "dd", "div", "tr"})
"""What a note may be."""
_MOST_CALLS, _LONGEST = 20, 1_000
"""Calls of a note that repeat it; characters of a note that stands within a sentence."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def read_epub(content: bytes, on_pages: Progress = unheard) -> Content:
    """A chapter without a heading has its name of the table of contents, which is left out itself. Raises Refused for
    one that is locked."""
    outline = Outline()
    package = Package(content, outline.unread)
    if package.has("META-INF/rights.xml") or _locked(package):
        raise Refused("the book is protected against copying", what_to_do="Take a copy without protection (DRM).")
    container = package.xml("META-INF/container.xml")
    found = container.find(".//{*}rootfile") if container is not None else None
    opf = unquote(found.get("full-path", "")) if found is not None else ""
    book = package.xml(opf)
    if book is None:
        raise Refused("the file is no e-book", what_to_do="Save it as .epub again.")
    folder = posixpath.dirname(opf)
    files = {item.get("id", ""): item for item in book.iterfind("{*}manifest/{*}item")}
    names = _names(package, folder, files)
    pages = _Pages(package)
    spine = book.findall("{*}spine/{*}itemref")
    for number, entry in enumerate(spine, 1):
        on_pages(number, len(spine))
        item = files.get(entry.get("idref", ""))
        if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
            continue
        part = _target(folder, item.get("href", ""))
        page = pages.take(part)
        if page is None:
            outline.unread(f"chapter {names.get(part) or number}: it is damaged")
        elif not pages.emptied(part, page):
            _chapter(outline, page, names.get(part, ""))
    return outline.content(title=given_title(book.findtext("{*}metadata/{*}title")))


class _Pages:
    """The bodies of the chapters, each with the notes that it calls, wherever they stand."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._waiting: dict[str, etree._Element | None] = {}
        """Those that hold notes of others."""
        self._places: dict[str, dict[str, etree._Element]] = {}
        self._moved: dict[str, etree._Element] = {}
        self._calls: Counter[str] = Counter()

    def take(self, part: str) -> etree._Element | None:
        page = self._waiting.pop(part, None) if part in self._waiting else _page(self._package, part)
        for number, link in enumerate(list(page.iter("{*}a")) if page is not None else ()):
            address = _target(posixpath.dirname(part), link.get("href", ""))
            fragment = urldefrag(link.get("href", "")).fragment
            if not fragment:
                continue
            if address == part:
                link.set("href", f"#{fragment}")
            elif link.get("role") == "doc-noteref" or _MARK.fullmatch("".join(map(str, link.itertext())).strip()):
                note = self._note(address, fragment, part)
                if note is not None and page is not None:
                    link.set("href", f"#note-{number}")
                    link.set("role", "doc-noteref")
                    note.set("id", f"note-{number}")
                    page.append(note)
        return page

    def emptied(self, part: str, page: etree._Element) -> bool:
        """Whether nothing is left of a chapter of notes but headings."""
        heads = {text for part in page.iter("*") if local(part) in _HEADINGS for text in part.itertext()}
        return part in self._places and not any(
            any(map(str.isalnum, str(text))) for text in page.itertext() if text not in heads
        )

    def _note(self, part: str, fragment: str, caller: str) -> etree._Element | None:
        """What another chapter holds at that place, if it is a note: named so, or with a way back."""
        key = f"{part}#{fragment}"
        self._calls[key] += 1
        if self._calls[key] > _MOST_CALLS:
            return None
        if (known := self._moved.get(key)) is not None:
            return deepcopy(known)
        if part not in self._places:
            self._waiting[part] = page = _page(self._package, part)
            self._places[part] = {one.get("id", ""): one for one in page.iter("*")} if page is not None else {}
        note = self._places[part].get(fragment)
        while note is not None and local(note) not in _NOTES:
            note = note.getparent()
        above = None if note is None else note.getparent()
        if note is None or above is None:
            return None
        if (
            local(note) == "p"
            and local(above) in {"li", "aside"}
            and above[0] is note
            and above.getparent() is not None
        ):
            note, above = above, above.getparent()
        back = [one for one in note.iter("{*}a") if _target(posixpath.dirname(part), one.get("href", "")) == caller]
        if above is None or not (back or note.get("role") == "doc-footnote"):
            return None
        for link in back:
            link.set("role", "doc-backlink")
        if len("".join(map(str, note.itertext()))) > _LONGEST:
            return None
        self._moved[key] = found = deepcopy(note)
        found.tail = None
        above.remove(note)
        return deepcopy(found)


def _page(package: Package, part: str) -> etree._Element | None:
    """The body of a chapter, in which notes are marked as in HTML."""
    content = package.read(part)
    if not content or not content.strip():
        return None
    try:
        page = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:  # written as if it were HTML
        page = etree.HTML(content, etree.HTMLParser(no_network=True))
    for element in page.iter("*"):
        if role := _ROLES.get(attribute(element, "type")):
            element.set("role", role)
    return next((part for part in page.iter("{*}body", "body")), page)


def _chapter(outline: Outline, body: etree._Element, name: str) -> None:
    heads = [part for part in body.iter("*") if local(part) in _HEADINGS]
    if name and not any("".join(map(str, part.itertext())).strip() for part in heads):
        first = next((part for part in body.iter("{*}p") if "".join(map(str, part.itertext())).strip()), None)
        if first is not None and " ".join("".join(map(str, first.itertext())).split()) == name:
            first.tag = "h1"
        else:
            outline.heading(1, name)
    read_into(outline, etree.tostring(body, method="html", encoding="unicode"))


def _names(package: Package, folder: str, files: dict[str, etree._Element]) -> dict[str, str]:
    """What the table of contents calls the files."""
    names: dict[str, str] = {}
    for item in files.values():
        is_nav, is_ncx = (
            "nav" in item.get("properties", "").split(),
            item.get("media-type") == "application/x-dtbncx+xml",
        )
        if not is_nav and not is_ncx:
            continue
        part = _target(folder, item.get("href", ""))
        listed = package.xml(part)
        for entry in listed.iter("{*}navPoint", "{*}a") if listed is not None else ():
            held = entry.find("{*}content")
            address = held.get("src", "") if held is not None else entry.get("href", "")
            words = "".join(map(str, entry.itertext())) if is_nav else entry.findtext("{*}navLabel/{*}text") or ""
            names.setdefault(_target(posixpath.dirname(part), address), " ".join(words.split()))
    return names


def _locked(package: Package) -> bool:
    """Whether more than fonts is encrypted."""
    listed = package.xml("META-INF/encryption.xml")
    held = listed.iter("*") if listed is not None else ()
    return any(one.get("URI", "").lower().endswith((".xhtml", ".html", ".htm", ".xml")) for one in held)


def _target(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(address).url)))
