"""EPUB as blocks: its chapters in reading order."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from urllib.parse import unquote, urldefrag

from lxml import etree

from adapters.files.content import OutlineBuilder, ParsedFile, ProgressCallback, drop_placeholder_title, ignore_progress
from adapters.files.html.reader import append_html
from adapters.files.html.tree import HEADING_TAGS
from adapters.files.office.package import OfficePackage, local_attribute, local_name
from pipeline.errors import Refused

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_ROLES = {"noteref": "doc-noteref", **dict.fromkeys(("footnote", "endnote", "rearnote"), "doc-footnote")}
_TOGETHER = 4_000_000
"""Characters of chapters that are read as one page, in which notes are found wherever they stand."""


def read_epub(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read a book. A chapter without a heading gets its name from the table of contents, which itself is left out.
    Raises Refused for a protected book."""
    outline = OutlineBuilder()
    package = OfficePackage(content, outline.note_unread)
    if package.has("META-INF/rights.xml") or _is_locked(package):
        raise Refused("the book is protected against copying", what_to_do="Take a copy without protection (DRM).")
    container = package.xml("META-INF/container.xml")
    rootfile = container.find(".//{*}rootfile") if container is not None else None
    opf = unquote(rootfile.get("full-path", "")) if rootfile is not None else ""
    book = package.xml(opf)
    if book is None:
        raise Refused("the file is no e-book", what_to_do="Save it as .epub again.")
    folder = posixpath.dirname(opf)
    files = {item.get("id", ""): item for item in book.iterfind("{*}manifest/{*}item")}
    names = _chapter_names(package, folder, files)
    idrefs = (entry.get("idref", "") for entry in book.iterfind("{*}spine/{*}itemref"))
    spine = [files[name] for name in idrefs if name in files]
    parts = [_resolve_target(folder, item.get("href", "")) for item in spine if _is_chapter(item)]
    places = {part: number for number, part in enumerate(parts)}
    chapters: list[str] = []
    for number, part in enumerate(parts, 1):
        on_pages(number, len(parts))
        page = _read_page(package, part)
        if page is None:
            outline.note_unread(f"chapter {names.get(part) or number}: it is damaged")
            continue
        _rewrite_links(page, part, places)
        chapters.append(_chapter_html(page, names.get(part, "")))
        if sum(map(len, chapters)) > _TOGETHER:
            append_html(outline, "".join(chapters))
            chapters.clear()
    append_html(outline, "".join(chapters))
    return outline.build(title=drop_placeholder_title(book.findtext("{*}metadata/{*}title")))


def _read_page(package: OfficePackage, part: str) -> etree._Element | None:
    """Return the body of a chapter, in which notes are marked as in HTML."""
    content = package.read(part)
    if not content or not content.strip():
        return None
    try:
        page = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:  # written as if it were HTML
        page = etree.HTML(content, etree.HTMLParser(no_network=True))
    if page is None:
        return None
    for element in page.iter("*"):
        if role := _ROLES.get(local_attribute(element, "type")):
            element.set("role", role)
    return next((part for part in page.iter("{*}body", "body")), page)


def _is_chapter(item: etree._Element) -> bool:
    return item.get("media-type") in _PAGES and "nav" not in item.get("properties", "").split()


def _rewrite_links(page: etree._Element, part: str, places: Mapping[str, int]) -> None:
    """Rewrite anchors of the book, and links to them, for one page that holds all of its chapters."""
    for element in page.iter("*"):
        for name in ("id", "name"):
            if anchor := element.get(name):
                element.set(name, f"{places[part]}-{anchor}")
        target, fragment = urldefrag(element.get("href", ""))
        address = _resolve_target(posixpath.dirname(part), target) if target else part
        if address in places and (target or fragment):
            element.set("href", f"#{places[address]}-{fragment}")


def _chapter_html(page: etree._Element, name: str) -> str:
    heads = [element for element in page.iter("*") if local_name(element) in HEADING_TAGS]
    if name and not any(map(_element_words, heads)):
        first = next(filter(_element_words, page.iter("{*}p")), None)
        if first is not None and _element_words(first) == name:
            first.tag = "h1"
        else:
            page.insert(0, etree.Element("h1"))
            page[0].text, page[0].tail, page.text = name, page.text, None
    inner = etree.tostring(page, method="html", encoding="unicode", with_tail=False)
    return f'<section class="chapter">{inner}</section>'


def _element_words(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def _chapter_names(package: OfficePackage, folder: str, files: dict[str, etree._Element]) -> dict[str, str]:
    """Return the names of the files in the table of contents."""
    names: dict[str, str] = {}
    for item in files.values():
        is_nav, is_ncx = (
            "nav" in item.get("properties", "").split(),
            item.get("media-type") == "application/x-dtbncx+xml",
        )
        if not is_nav and not is_ncx:
            continue
        part = _resolve_target(folder, item.get("href", ""))
        contents = package.xml(part)
        for entry in contents.iter("{*}navPoint", "{*}a") if contents is not None else ():
            target = entry.find("{*}content")
            address = target.get("src", "") if target is not None else entry.get("href", "")
            words = _element_words(entry) if is_nav else entry.findtext("{*}navLabel/{*}text") or ""
            names.setdefault(_resolve_target(posixpath.dirname(part), address), " ".join(words.split()))
    return names


def _is_locked(package: OfficePackage) -> bool:
    """Return whether more than fonts is encrypted."""
    encryption = package.xml("META-INF/encryption.xml")
    references = encryption.iter("*") if encryption is not None else ()
    return any(
        reference.get("URI", "").lower().endswith((".xhtml", ".html", ".htm", ".xml")) for reference in references
    )


def _resolve_target(folder: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(address).url)))
