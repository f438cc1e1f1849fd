"""What stands before words of a page: the kind and the title of a note, the name of a field, the box of a task."""

from __future__ import annotations

import re
from itertools import islice, takewhile

from adapters.files.text.html_seen import ABOUT
from adapters.files.text.html_tree import (
    BLOCKS,
    BREAK,
    Element,
    Tree,
    classes,
    gone,
    led,
    paragraph,
    say,
    text_of,
)

_KIND = re.compile(
    r"(?:^|[\s_-]+)(note|tip|hint|info|important|warning|caution|danger|attention|error|success|example|question|"
    r"seealso|todo|abstract|bug|failure|quote)(?=$|[\s_-])"
)
_NOTE = re.compile(
    r"(?:^|[\s_-])(?:admonition(?:block)?|callout|aside|alert|custom-(?:block|container)|information-macro|hint)\b"
)
_TITLE = re.compile(
    r"(?:admonition|alert|callout|aside|custom-block|panel)[\w-]*(?:title|heading)|^title$", re.IGNORECASE
)
_LONGEST_TITLE = 80
_OPENING = frozenset({"p", "div", "section"})


def read_leads(tree: Tree) -> None:
    """Put the title of a note, or what kind of note it is, before its first words."""
    kinds: set[Element] = set()
    for note in dict.fromkeys([*tree.classed(_NOTE), *tree.where("role", "note"), *tree.root.iter("aside")]):
        if note.tag not in {"div", "aside", "section", "blockquote"} or "footnote" in classes(note):
            continue
        title = next((part for part in islice(note.iter(), 1, 8) if _TITLE.search(classes(part))), None)
        said = text_of(title) if title is not None else ""
        if title is None:
            kind = _KIND.search(classes(note))
            said = note.get("aria-label") or (kind[1] if kind and note.get("role") != "navigation" else "")
            said = "" if any(one in kinds for one in islice(note.iterancestors(), 3)) else said
            kinds.add(note)
        elif len(said) > _LONGEST_TITLE:
            continue
        else:
            gone(title)
            if (title.tail or "").strip():
                say(title, said.rstrip(": ").capitalize() + ": ")
                continue
        if said and not ABOUT.search(classes(note)):
            _lead(note, said[0].upper() + said[1:].rstrip(": ") + ": ")


def _lead(note: Element, words: str) -> None:
    """Put `words` before the first paragraph of `note`, or over what else it begins with."""
    for content in note.iterfind(".//td[@class='content']"):  # of AsciiDoctor, beside an icon
        note = content
        next(note.iterancestors("table")).set("role", "presentation")
    first = next((one for one in note.iter() if (one.text or "").strip()), note)
    around = takewhile(lambda one: one is not note, [first, *first.iterancestors()])
    blocks = [one for one in around if one.tag in BLOCKS]
    if all(one.tag in _OPENING for one in blocks):
        led(blocks[0] if blocks else note, words)
    else:
        paragraph(words.rstrip(), note)


def read_fields(tree: Tree) -> None:
    """Put the name of a field, or an option, before what is said of it; make boxes of tasks."""
    for fields in tree.with_class("field-list", "docinfo", "option-list"):
        for name in [name for name in fields if name.tag == "dt"] if fields.tag == "dl" else []:
            said = name.getnext()
            if said is not None and said.tag == "dd" and (title := text_of(name).rstrip(": ")):
                _lead(said, f"{title}: ")
                gone(name)
    for kind in tree.with_class("classifier"):
        led(kind, " : ")
    for line in tree.with_class("^line$"):
        if line.tag == "div":
            line.tag, line.tail = "span", BREAK
    for entry in tree.where("role", "doc-biblioentry"):
        if (name := entry.find("./span[@class='label']")) is not None and (title := text_of(name)):
            gone(name)
            _lead(entry, f"{title} ")
    for tasks in tree.with_class("inline-task-list"):  # of Confluence
        for task in tasks.iterchildren("li"):
            led(task, "☑ " if "checked" in classes(task).split() else "☐ ")
    for box in tree.with_class("checkbox-o", "fa-check-square-o", "fa-square-o"):  # of Notion and AsciiDoctor
        if not text_of(box):
            say(box, "☑" if re.search("checkbox-on|fa-check", classes(box)) else "☐")
    for task in tree.having("data-tag"):  # of OneNote
        if (kind := task.get("data-tag")).startswith("to-do"):
            led(task, "☑ " if "completed" in kind else "☐ ")
    for chosen in tree.with_class("selected-value"):  # of Notion
        chosen.tail = ", " if chosen.getnext() is not None else chosen.tail
