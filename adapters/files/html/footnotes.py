"""Footnotes and endnotes of HTML: each is moved into the sentence that calls it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adapters.files.html.tree import (
    BLOCK_TAGS,
    HEADING_TAGS,
    LINE_BREAK,
    NOTE_END,
    NOTE_START,
    HtmlElement,
    HtmlTree,
    class_names,
    element_text,
    remove_element,
    replace_with_text,
)

_MARK = re.compile(r"[\[(]?\s*(?:(?:note|nb|n)\.?\s?)?(?:[0-9]{1,4}|[ivx]{1,6}|[a-zA-Z]|[*†‡§¶]{1,3})\s*[\])]?")
_NAMED = re.compile(r"foot-?note|endnote|noteref|sdfootnote|fnref|(?:^|\s)fn(?:$|[\s_-])")
_BACK = re.compile(r"back-?(?:ref|link)|footnote-back|reversefootnote|footnote-return|data-footnote-backref")
_LABEL = re.compile(r"label|fn-bracket|sdfootnotesym|mw-cite-backlink|footnote-number|mw-reference-label")
_MAX_NOTE_LENGTH = 1_000
"""Characters of a note that is moved into a sentence. A longer one stays where it is."""
_MAX_CALLS = 20
"""Calls of one note that repeat it."""
_SECTION = re.compile(r"footnotes|endnotes|^chapter$")
"""Sections that are removed together with all of their notes."""
_CONTENT = frozenset({"body", "html", "main", "article"})
_STRUCTURE = ("pre", "table", "ul", "ol", "dl", *HEADING_TAGS)


def find_footnotes(tree: HtmlTree) -> None:
    """Find calls and their notes, before the marks of a line are read."""
    tree.notes = _Notes(tree)


def inline_footnotes(tree: HtmlTree) -> None:
    """Put the words of each note behind its call, and remove the note from its old place."""
    if tree.notes is not None:
        tree.notes.inline()


class _Notes:
    def __init__(self, tree: HtmlTree) -> None:
        self._tree, self._root = tree, tree.root
        self._calls: list[tuple[HtmlElement, HtmlElement]] = []
        self._link_targets: dict[HtmlElement, set[str]] = {}
        """Targets of the links in a block."""
        self._back_targets = _find_back_targets(tree.root)
        self._find_linked_notes()
        self._find_unlinked_notes()
        for _, note in self._calls:
            self._remove_marks(note)
        beside = tree.with_class_containing("sidenote", "marginnote", "ltx_note_outer")
        self._side_notes = [element for element in beside if element.tag in {"span", "small"}]
        for mark in tree.with_class_containing("ltx_note_mark", "ltx_tag_note"):  # of LaTeXML
            remove_element(mark)

    def inline(self) -> None:
        texts: dict[HtmlElement, str] = {}
        times: dict[HtmlElement, int] = {}
        for note in self._side_notes:
            replace_with_text(note, f"{NOTE_START}{element_text(note).replace(NOTE_START, '')}{NOTE_END}")
        for call, note in self._calls:
            if note not in texts:
                texts[note] = self._note_text(note)
            times[note] = times.get(note, 0) + 1
            fits = texts[note] and times[note] <= _MAX_CALLS
            replace_with_text(call, f"{NOTE_START}{texts[note]}{NOTE_END}" if fits else "")
        taken = [note for note in texts if texts[note]]
        for note in taken:
            remove_element(note)
        _remove_emptied(taken)

    def _find_linked_notes(self) -> None:
        links = [link for link in self._root.iter("a") if (link.get("href") or "").startswith("#")]
        names = {str(link.get("href"))[1:] for link in links if self._may_call(link)}
        targets: dict[str, HtmlElement] = {}
        for target in self._tree.with_attribute("id", "name") if names else []:
            for name in (target.get("id"), target.get("name")):
                if name in names:
                    targets.setdefault(name, target)
        order = (
            {
                element: position
                for position, element in enumerate(self._tree.in_document_order({*links, *targets.values()}))
            }
            if targets
            else {}
        )
        for link in links:
            target = targets.get(str(link.get("href"))[1:])
            if order.get(target, -1) < order.get(link, 0) or not self._may_call(link):
                continue
            note = _find_note_block(target)
            if note is not None and self._is_note(note, link):
                self._calls.append((_enclosing_mark(link), note))

    def _may_call(self, link: HtmlElement) -> bool:
        if link.get("role") == "doc-backlink" or _BACK.search(class_names(link)):
            return False
        if link.get("role") == "doc-noteref" or _NAMED.search(class_names(link)):
            return True
        return bool(_MARK.fullmatch(element_text(link)))

    def _is_note(self, note: HtmlElement, link: HtmlElement) -> bool:
        """Return whether the target of `link` is a note rather than a section, and does not contain the link."""
        if note in link.iterancestors():
            return False
        if link.get("role") == "doc-noteref" or _NAMED.search(class_names(link)):
            return True
        if note not in self._link_targets:
            hrefs = (str(inner.get("href") or "") for inner in note.iter("a"))
            self._link_targets[note] = {href[1:] for href in hrefs if href.startswith("#")}
        own = {
            name
            for element in (link, link.getparent())
            if element is not None
            for name in (element.get("id"), element.get("name"))
        }
        if (own - {None}) & self._link_targets[note]:
            return True
        return _NAMED.search(class_names(note)) is not None or _is_raised(link)

    def _find_unlinked_notes(self) -> None:
        """Find notes without links: a paragraph that opens with a raised mark is the note of the same marks before
        it."""
        waiting: dict[str, list[HtmlElement]] = {}
        for mark in list(self._root.iter("sup")):
            name = element_text(mark).strip("[]()")
            if not name or len(name) > 3 or mark.find(".//a[@href]") is not None:
                continue
            block = _block_opened_by(mark)
            if block is None:
                waiting.setdefault(name, []).append(mark)
            elif (calls := waiting.pop(name, [])) and _is_followed_by_text(mark):
                remove_element(mark)
                self._calls += [(call, block) for call in calls]

    def _remove_marks(self, note: HtmlElement) -> None:
        """Remove its mark and its back link from a note."""
        for link in list(note.iter("a", "span", "td", "sup", "cite")):
            href = link.get("href") or ""
            is_back_link = href[1:] in self._back_targets or link.get("role") == "doc-backlink"
            is_back_link = is_back_link or (
                link.tag == "a" and _block_opened_by(link) is not None and _MARK.fullmatch(element_text(link))
            )
            is_marker = _BACK.search(class_names(link)) or _LABEL.search(class_names(link))
            if is_marker or (href.startswith("#") and is_back_link):
                remove_element(link)

    def _note_text(self, note: HtmlElement) -> str:
        """Return the words of a note, or an empty text where it cannot stand in a sentence."""
        if next(note.iter(*_STRUCTURE), None) is not None and note.tag not in {"table", "tr"}:
            return ""
        parts = " ".join(note.itertext()) if next(note.iter("p", "div", "td"), None) is not None else element_text(note)
        text = " ".join(parts.replace(NOTE_START, " ").replace(NOTE_END, " ").replace(LINE_BREAK, " ").split())
        text = re.sub(r"\s+([.,;:!?)])", r"\1", re.sub(r"^[\s\[\]().:^↑,]+|[\s↩︎⏎]+$", "", text))
        return text if len(text) <= _MAX_NOTE_LENGTH else ""


def _remove_emptied(notes: Iterable[HtmlElement]) -> None:
    """Remove elements that contained nothing but notes and headings."""
    checked: set[HtmlElement] = set()
    for note in notes:
        for holder in note.iterancestors():
            if holder in checked or holder.tag in _CONTENT:
                break
            checked.add(holder)
            heading_size = sum(_count_characters(head) for head in holder.iter(*HEADING_TAGS))
            if _count_characters(holder) > heading_size:
                break
            if holder.get("role") == "doc-endnotes" or _SECTION.search(class_names(holder)):
                remove_element(holder)


def _count_characters(element: HtmlElement) -> int:
    """Count the letters and digits of an element."""
    return sum(map(str.isalnum, "".join(element.itertext())))


def _is_raised(link: HtmlElement) -> bool:
    return link.find(".//sup") is not None or (link.getparent() is not None and link.getparent().tag == "sup")


def _find_back_targets(root: HtmlElement) -> set[str]:
    """Return the ids of all links of the text and of the elements around them: the targets of back links."""
    return {
        str(name)
        for link in root.iter("a")
        if (link.get("href") or "").startswith("#")
        for element in (link, link.getparent())
        if element is not None and element.tag in {"a", "sup", "span"}
        for name in (element.get("id"), element.get("name"))
        if name
    }


def _enclosing_mark(link: HtmlElement) -> HtmlElement:
    """Return the raised mark that contains `link`, with its brackets."""
    parent = link.getparent()
    if (
        parent is not None
        and parent.tag in {"sup", "span"}
        and len(element_text(parent)) <= len(element_text(link)) + 3
    ):
        return parent
    return link


def _find_note_block(place: HtmlElement) -> HtmlElement | None:
    """Return the block of the note that begins at `place`."""
    note: HtmlElement | None = place
    while note is not None and note.tag not in BLOCK_TAGS:
        note = note.getparent()
    if note is None or note.tag in {*_CONTENT, "section", *HEADING_TAGS}:
        return None
    if note.tag == "dt":
        return note.getnext()
    if note.tag in {"td", "th"}:
        return note.getparent()
    around = note.getparent()
    names = around is not None and around.get("id") and f"{around.get('id')} {class_names(around)}".lower()
    if names and _NAMED.search(names) and around.tag in {"div", "aside", "li"} and around[0] is note:
        return around
    return note


def _block_opened_by(mark: HtmlElement) -> HtmlElement | None:
    """Return the block whose first words are `mark`."""
    inner = mark
    while inner.tag not in BLOCK_TAGS:
        parent = inner.getparent()
        before = inner.getprevious()
        if parent is None or (parent.text or "").strip() or before is not None:
            return None
        inner = parent
    return inner if inner.tag in {"p", "li", "div", "dd", "td"} else None


def _is_followed_by_text(mark: HtmlElement) -> bool:
    return any(map(str.isalpha, mark.tail or "")) or mark.getnext() is not None
