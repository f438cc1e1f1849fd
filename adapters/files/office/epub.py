"""EPUB -> blocks: its chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urldefrag

from lxml import etree

from adapters.files.office.elements import attribute, local
from adapters.files.office.package import Package
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from adapters.files.text.html import read_into
from pipeline.errors import Refused

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_ROLES = {"noteref": "doc-noteref", **dict.fromkeys(("footnote", "endnote", "rearnote"), "doc-footnote")}
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
    spine = book.findall("{*}spine/{*}itemref")
    for number, entry in enumerate(spine, 1):
        on_pages(number, len(spine))
        item = files.get(entry.get("idref", ""))
        if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
            continue
        part = _target(folder, item.get("href", ""))
        page = _page(package, part)
        if page is not None:
            _chapter(outline, page, names.get(part, ""))
        else:
            outline.unread(f"chapter {names.get(part) or number}: it is damaged")
    return outline.content(title=given_title(book.findtext("{*}metadata/{*}title")))


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
    if name and not any(
        local(part) in _HEADINGS and "".join(map(str, part.itertext())).strip() for part in body.iter("*")
    ):
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
