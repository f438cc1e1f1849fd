"""Confluence's storage format as HTML, then as blocks: the text that a reader of the page sees."""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape
from html.entities import html5
from itertools import islice
from urllib.parse import quote_plus

from lxml import etree

from adapters.files.content import ParsedFile
from adapters.files.formats import ConfluenceStoragePage
from adapters.files.html.reader import read_html
from pipeline.errors import Refused

MAX_PAGE_MENTIONS = 10_000
"""People of one page whose names are looked up: as many as the links of a web page that are followed."""

_AC, _RI = "{urn:ac}", "{urn:ri}"
_END = '<end xmlns="urn:end"/>'
"""Marker behind the stored text. Where the parser gives up, it reports nothing after a hundred other errors and does
not reach this marker."""
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*;)")
_XML = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_HEADING = re.compile(r"h[1-6]")
_TAGS = re.compile(r"<[^>]*>")
_VOID = frozenset({"br", "hr", "col"})
_HIDDEN_TAGS = frozenset(
    {f"{_AC}{name}" for name in ("parameter", "placeholder", "adf-attribute", "adf-mark")} | {"script", "style"}
)
_ATTRIBUTES = ("href", "colspan", "rowspan", "style", "start")
"""Attributes that carry meaning for the text."""
_NOTES = frozenset({"info", "note", "tip", "warning"})
_EXECUTED_MACROS = frozenset({"html", "html-include", "style", "css"})
"""Macros that run their text instead of showing it."""


def read_storage_page(page: ConfluenceStoragePage) -> ParsedFile:
    """Read the visible content of a page, which may be empty. Raises Refused where the parser does not reach its
    end."""
    html = storage_to_html(page)
    return read_html(html.encode()) if _has_text(html) else ParsedFile()


def read_confluence_page(content: bytes) -> ParsedFile:
    """Read a `ConfluenceStoragePage` in JSON. Raises as `read_storage_page`."""
    return read_storage_page(ConfluenceStoragePage.model_validate_json(content))


def storage_to_html(page: ConfluenceStoragePage) -> str:
    """Convert a page to HTML. Raises Refused like `read_storage_page`."""
    return _Writer(page).write_children(_parse_storage(page.storage))


def find_mentions(storage: str) -> frozenset[str]:
    """Return the account ids and user keys of the people that a page names. Raises Refused like `read_storage_page`."""
    people = dict.fromkeys(filter(None, map(_person_id, _parse_storage(storage).iter(f"{_RI}user"))))
    return frozenset(islice(people, MAX_PAGE_MENTIONS))


def _has_text(html: str) -> bool:
    return any(part.partition(">")[2].strip() for part in html.split("<"))


def _parse_storage(storage: str) -> etree._Element:
    text = _ENTITY.sub(_resolve_entity, storage)
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(f'<storage xmlns:ac="urn:ac" xmlns:ri="urn:ri">{text}{_END}</storage>'.encode(), parser)
    if root is None or next(root.iter("{urn:end}end"), None) is None:
        raise Refused(
            "the page cannot be read to its end: it is nested more deeply, or holds more in one piece, than a page "
            "may, or is not as Confluence stores pages",
            what_to_do="Divide it into several pages, or edit and save it again.",
        )
    return root


def _resolve_entity(entity: re.Match[str]) -> str:
    return entity[0] if entity[1] in _XML else escape(html5.get(entity[1], entity[0]))


def _person_id(user: etree._Element) -> str:
    return user.get(f"{_RI}account-id") or user.get(f"{_RI}userkey") or ""


class HeadingAnchors:
    """The anchors that Confluence gives the headings of one page, asked for in order.

    The new editor of Cloud writes the heading with hyphens for its spaces. The old one, and Data Center, write the
    page's title and the heading without their spaces, after `id-` when the title does not begin with a letter. Repeated
    names are numbered from the second.
    """

    def __init__(self, title: str, *, new_editor: bool) -> None:
        self._prefix = "" if new_editor else "".join(title.split()) + "-"
        if self._prefix and not self._prefix[0].isalpha():
            self._prefix = "id-" + self._prefix
        self._space = "-" if new_editor else ""
        self._counts: Counter[str] = Counter()

    def anchor_for(self, heading: str) -> str:
        name = self._prefix + self._space.join(heading.split())
        earlier = self._counts[name]
        self._counts[name] += 1
        return f"{name}.{earlier}" if earlier else name


class _Writer:
    def __init__(self, page: ConfluenceStoragePage) -> None:
        self._page = page
        self._anchors = HeadingAnchors(page.title, new_editor=page.new_editor)

    def write_children(self, element: etree._Element | None) -> str:
        if element is None:
            return ""
        parts = [escape(element.text or "", quote=False)]
        for child in element:
            parts += [self._write_element(child), escape(child.tail or "", quote=False)]
        return "".join(parts)

    def _write_element(self, element: etree._Element) -> str:
        tag = element.tag
        if not isinstance(tag, str) or tag in _HIDDEN_TAGS:
            return ""
        match tag.replace(_AC, "ac:"):
            case "ac:structured-macro" | "ac:macro":
                return self._write_macro(element)
            case "ac:link":
                return self._write_link(element)
            case "ac:image":
                caption = self.write_children(element.find(f"{_AC}caption"))
                return caption or escape(element.get(f"{_AC}alt") or "")
            case "ac:emoticon":
                return escape(element.get(f"{_AC}emoji-fallback") or "")
            case "ac:task-list":
                return f"<ul>{self.write_children(element)}</ul>"
            case "ac:task":
                done = element.findtext(f"{_AC}task-status") == "complete"
                return f"<li>{'☑' if done else '☐'} {self.write_children(element.find(f'{_AC}task-body'))}</li>"
            case "ac:adf-extension":
                fallback = element.find(f"{_AC}adf-fallback")
                return f"<div>{self.write_children(element if fallback is None else fallback)}</div>"
            case "ac:layout" | "ac:layout-section" | "ac:layout-cell" | "ac:adf-content":
                return f"<div>{self.write_children(element)}</div>"
            case "time":
                return escape(element.get("datetime") or "") + self.write_children(element)
            case name if _HEADING.fullmatch(name):
                return self._write_heading(name, element)
            case name if name in _VOID:
                return f"<{name}>"
            case name if name.isalnum():
                attributes = "".join(f' {key}="{escape(value)}"' for key in _ATTRIBUTES if (value := element.get(key)))
                return f"<{name}{attributes}>{self.write_children(element)}</{name}>"
            case _:
                return self.write_children(element)

    def _write_heading(self, name: str, element: etree._Element) -> str:
        inner = self.write_children(element)
        text = unescape(_TAGS.sub("", inner)).strip()
        return f'<{name} id="{escape(self._anchors.anchor_for(text))}">{inner}</{name}>' if text else ""

    def _write_macro(self, macro: etree._Element) -> str:
        """Return the text that a macro shows. Empty for a macro that generates its content (a table of contents, a list
        of children)."""
        name = macro.get(f"{_AC}name") or ""
        parameters = {part.get(f"{_AC}name"): part.text or "" for part in macro.findall(f"{_AC}parameter")}
        if name == "status":
            return escape(parameters.get("title", ""))
        if name == "jira":
            return escape(parameters.get("key", ""))
        rich, plain = macro.find(f"{_AC}rich-text-body"), macro.find(f"{_AC}plain-text-body")
        title = f"<p><strong>{escape(parameters['title'])}</strong></p>" if parameters.get("title") else ""
        if rich is not None:
            kind = f' class="admonition {name}"' if name in _NOTES and not title else ""
            return f"{title}<div{kind}>{self.write_children(rich)}</div>"
        if plain is not None and name not in _EXECUTED_MACROS:
            return f"{title}<pre>{escape(plain.text or '', quote=False)}</pre>"
        return ""

    def _write_link(self, link: etree._Element) -> str:
        """Return the link's own text, else the name of its target."""
        rich = link.find(f"{_AC}link-body")
        text = (
            self.write_children(rich) if rich is not None else escape(link.findtext(f"{_AC}plain-text-link-body") or "")
        )
        if (user := link.find(f"{_RI}user")) is not None:
            return text or escape(self._page.names.get(_person_id(user), ""))
        if (page := link.find(f"{_RI}page")) is not None:
            title = page.get(f"{_RI}content-title") or ""
            address = self._page_address(title, page.get(f"{_RI}space-key") or "") if title else ""
            text = text or escape(title)
            return f'<a href="{escape(address)}">{text}</a>' if address else text
        if (url := link.find(f"{_RI}url")) is not None:
            return f'<a href="{escape(url.get(f"{_RI}value") or "")}">{text}</a>'
        file = link.find(f"{_RI}attachment")
        return text or escape(
            (file.get(f"{_RI}filename") or "") if file is not None else link.get(f"{_AC}anchor") or ""
        )

    def _page_address(self, title: str, space: str) -> str:
        return f"{self._page.url}/display/{quote_plus(space or self._page.space)}/{quote_plus(title)}"
