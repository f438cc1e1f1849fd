"""Foot- and endnotes of HTML: each within the sentence that calls it, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adapters.files.html.tree import (
    BLOCKS,
    BREAK,
    HEADINGS,
    NOTE,
    NOTE_END,
    Element,
    Tree,
    classes,
    gone,
    say,
    text_of,
)

_MARK = re.compile(r"[\[(]?\s*(?:(?:note|nb|n)\.?\s?)?(?:[0-9]{1,4}|[ivx]{1,6}|[a-zA-Z]|[*†‡§¶]{1,3})\s*[\])]?")
_NAMED = re.compile(r"foot-?note|endnote|noteref|sdfootnote|fnref|(?:^|\s)fn(?:$|[\s_-])")
_BACK = re.compile(r"back-?(?:ref|link)|footnote-back|reversefootnote|footnote-return|data-footnote-backref")
_LABEL = re.compile(r"label|fn-bracket|sdfootnotesym|mw-cite-backlink|footnote-number|mw-reference-label")
_LONGEST = 1_000
"""Characters of a note that stands within a sentence; a longer one stays where it is."""
_MOST_CALLS = 20
"""Of one note, that repeat it."""
_SECTION = re.compile(r"footnotes|endnotes|^chapter$")
"""What goes when all of its notes do."""
_CONTENT = frozenset({"body", "html", "main", "article"})
_STRUCTURE = ("pre", "table", "ul", "ol", "dl", *HEADINGS)


def find_notes(tree: Tree) -> None:
    """Find calls and their notes, before the marks of a line are read."""
    tree.notes = _Notes(tree)


def join_notes(tree: Tree) -> None:
    """Put the words of each note behind its call, and take it out of where it stood."""
    if tree.notes is not None:
        tree.notes.join()


class _Notes:
    def __init__(self, tree: Tree) -> None:
        self._tree, self._root = tree, tree.root
        self._calls: list[tuple[Element, Element]] = []
        self._back: dict[Element, set[str]] = {}
        """What the links in a block lead to."""
        self._backward = _links_back(tree.root)
        self._linked()
        self._unlinked()
        for _, note in self._calls:
            self._unmark(note)
        beside = tree.with_class("sidenote", "marginnote", "ltx_note_outer")
        self._beside = [one for one in beside if one.tag in {"span", "small"}]
        for mark in tree.with_class("ltx_note_mark", "ltx_tag_note"):  # of LaTeXML
            gone(mark)

    def join(self) -> None:
        said: dict[Element, str] = {}
        times: dict[Element, int] = {}
        for note in self._beside:
            say(note, f"{NOTE}{text_of(note).replace(NOTE, '')}{NOTE_END}")
        for call, note in self._calls:
            if note not in said:
                said[note] = self._words(note)
            times[note] = times.get(note, 0) + 1
            fits = said[note] and times[note] <= _MOST_CALLS
            say(call, f"{NOTE}{said[note]}{NOTE_END}" if fits else "")
        taken = [note for note in said if said[note]]
        for note in taken:
            gone(note)
        _drop_emptied(taken)

    def _linked(self) -> None:
        links = [link for link in self._root.iter("a") if (link.get("href") or "").startswith("#")]
        wanted = {str(link.get("href"))[1:] for link in links if self._may_call(link)}
        places: dict[str, Element] = {}
        for place in self._tree.having("id", "name") if wanted else []:
            for name in (place.get("id"), place.get("name")):
                if name in wanted:
                    places.setdefault(name, place)
        order = {one: at for at, one in enumerate(self._tree.in_order({*links, *places.values()}))} if places else {}
        for link in links:
            place = places.get(str(link.get("href"))[1:])
            if order.get(place, -1) < order.get(link, 0) or not self._may_call(link):
                continue
            note = _note_at(place)
            if note is not None and self._is_note(note, link):
                self._calls.append((_outer(link), note))

    def _may_call(self, link: Element) -> bool:
        if link.get("role") == "doc-backlink" or _BACK.search(classes(link)):
            return False
        if link.get("role") == "doc-noteref" or _NAMED.search(classes(link)):
            return True
        return bool(_MARK.fullmatch(text_of(link)))

    def _is_note(self, note: Element, link: Element) -> bool:
        """Whether what `link` leads to is a note rather than a section, and does not hold the link."""
        if note in link.iterancestors():
            return False
        if link.get("role") == "doc-noteref" or _NAMED.search(classes(link)):
            return True
        if note not in self._back:
            hrefs = (str(inner.get("href") or "") for inner in note.iter("a"))
            self._back[note] = {href[1:] for href in hrefs if href.startswith("#")}
        own = {name for one in (link, link.getparent()) if one is not None for name in (one.get("id"), one.get("name"))}
        if (own - {None}) & self._back[note]:
            return True
        return _NAMED.search(classes(note)) is not None or _raised(link)

    def _unlinked(self) -> None:
        """A paragraph that opens with a raised mark is the note of the same marks before it."""
        waiting: dict[str, list[Element]] = {}
        for mark in list(self._root.iter("sup")):
            name = text_of(mark).strip("[]()")
            if not name or len(name) > 3 or mark.find(".//a[@href]") is not None:
                continue
            block = _opened(mark)
            if block is None:
                waiting.setdefault(name, []).append(mark)
            elif (calls := waiting.pop(name, [])) and _follows(mark):
                gone(mark)
                self._calls += [(call, block) for call in calls]

    def _unmark(self, note: Element) -> None:
        """Take out of a note its mark and the way back."""
        for link in list(note.iter("a", "span", "td", "sup", "cite")):
            href = link.get("href") or ""
            back = href[1:] in self._backward or link.get("role") == "doc-backlink"
            back = back or (link.tag == "a" and _opened(link) is not None and _MARK.fullmatch(text_of(link)))
            named = _BACK.search(classes(link)) or _LABEL.search(classes(link))
            if named or (href.startswith("#") and back):
                gone(link)

    def _words(self, note: Element) -> str:
        """What a note says; empty where it is no text of a sentence."""
        if next(note.iter(*_STRUCTURE), None) is not None and note.tag not in {"table", "tr"}:
            return ""
        parts = " ".join(note.itertext()) if next(note.iter("p", "div", "td"), None) is not None else text_of(note)
        text = " ".join(parts.replace(NOTE, " ").replace(NOTE_END, " ").replace(BREAK, " ").split())
        text = re.sub(r"\s+([.,;:!?)])", r"\1", re.sub(r"^[\s\[\]().:^↑,]+|[\s↩︎⏎]+$", "", text))
        return text if len(text) <= _LONGEST else ""


def _drop_emptied(notes: Iterable[Element]) -> None:
    """Take out what held nothing but notes and headings."""
    known: set[Element] = set()
    for note in notes:
        for holder in note.iterancestors():
            if holder in known or holder.tag in _CONTENT:
                break
            known.add(holder)
            named = sum(_size(head) for head in holder.iter(*HEADINGS))
            if _size(holder) > named:
                break
            if holder.get("role") == "doc-endnotes" or _SECTION.search(classes(holder)):
                gone(holder)


def _size(element: Element) -> int:
    """How many letters and figures it holds."""
    return sum(map(str.isalnum, "".join(element.itertext())))


def _raised(link: Element) -> bool:
    return link.find(".//sup") is not None or (link.getparent() is not None and link.getparent().tag == "sup")


def _links_back(root: Element) -> set[str]:
    """What links of the text lead from: the ids of all links and what is around them."""
    return {
        str(name)
        for link in root.iter("a")
        if (link.get("href") or "").startswith("#")
        for one in (link, link.getparent())
        if one is not None and one.tag in {"a", "sup", "span"}
        for name in (one.get("id"), one.get("name"))
        if name
    }


def _outer(link: Element) -> Element:
    """The raised mark that `link` is in, with its brackets."""
    parent = link.getparent()
    if parent is not None and parent.tag in {"sup", "span"} and len(text_of(parent)) <= len(text_of(link)) + 3:
        return parent
    return link


def _note_at(place: Element) -> Element | None:
    """The block of the note that begins at `place`."""
    note: Element | None = place
    while note is not None and note.tag not in BLOCKS:
        note = note.getparent()
    if note is None or note.tag in {*_CONTENT, "section", *HEADINGS}:
        return None
    if note.tag == "dt":
        return note.getnext()
    if note.tag in {"td", "th"}:
        return note.getparent()
    around = note.getparent()
    named = around is not None and around.get("id") and f"{around.get('id')} {classes(around)}".lower()
    if named and _NAMED.search(named) and around.tag in {"div", "aside", "li"} and around[0] is note:
        return around
    return note


def _opened(mark: Element) -> Element | None:
    """The block whose first words are `mark`."""
    inner = mark
    while inner.tag not in BLOCKS:
        parent = inner.getparent()
        before = inner.getprevious()
        if parent is None or (parent.text or "").strip() or before is not None:
            return None
        inner = parent
    return inner if inner.tag in {"p", "li", "div", "dd", "td"} else None


def _follows(mark: Element) -> bool:
    return any(map(str.isalpha, mark.tail or "")) or mark.getnext() is not None
