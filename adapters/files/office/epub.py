"""EPUB -> blocks: its chapters in the order in which they are read."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urldefrag

from lxml import etree

from adapters.files.office.parts import Package, local, parsed
from adapters.files.outline import Content, Outline, Progress, given_title, unheard
from adapters.files.text.html import read_into
from pipeline.errors import Refused

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def read_epub(content: bytes, on_pages: Progress = unheard) -> Content:
    """A chapter without a heading has its name of the table of contents, which is left out itself. Raises Refused for
    one that is locked."""
    package = Package(content, declares=True)
    if "META-INF/rights.xml" in package or _locked(package):
        raise Refused("the book is protected against copying", what_to_do="Take a copy without protection (DRM).")
    found = package.xml("META-INF/container.xml").find(".//{*}rootfile")
    opf = unquote(found.get("full-path", "")) if found is not None else ""
    book = package.xml(opf)
    folder = posixpath.dirname(opf)
    files = {item.get("id", ""): item for item in book.iterfind("{*}manifest/{*}item")}
    names = _names(package, folder, files)
    outline = Outline()
    spine = book.findall("{*}spine/{*}itemref")
    for number, entry in enumerate(spine, 1):
        on_pages(number, len(spine))
        item = files.get(entry.get("idref", ""))
        if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
            continue
        part = _target(folder, item.get("href", ""))
        try:
            _chapter(outline, package.bytes(part), names.get(part, ""))
        except (KeyError, ValueError, OSError, EOFError, etree.LxmlError):
            outline.unread(f"chapter {names.get(part) or number}: it is damaged")
    return outline.content(title=given_title(book.findtext("{*}metadata/{*}title")))


def _chapter(outline: Outline, content: bytes, name: str) -> None:
    try:
        page = parsed(content)
    except etree.XMLSyntaxError:  # written as if it were HTML
        page = etree.HTML(content, etree.HTMLParser(no_network=True))
    body = next((part for part in page.iter("{*}body")), page)
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
        try:
            listed = package.xml(part)
        except (KeyError, etree.LxmlError):
            continue
        for entry in listed.iter("{*}navPoint", "{*}a"):
            held = entry.find("{*}content")
            address = held.get("src", "") if held is not None else entry.get("href", "")
            words = "".join(map(str, entry.itertext())) if is_nav else entry.findtext("{*}navLabel/{*}text") or ""
            names.setdefault(_target(posixpath.dirname(part), address), " ".join(words.split()))
    return names


def _locked(package: Package) -> bool:
    """Whether more than fonts is encrypted."""
    try:
        listed = package.xml("META-INF/encryption.xml")
    except (KeyError, etree.LxmlError):
        return False
    return any(held.get("URI", "").lower().endswith((".xhtml", ".html", ".htm", ".xml")) for held in listed.iter("*"))


def _target(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(address).url)))
