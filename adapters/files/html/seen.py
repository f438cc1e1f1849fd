"""What a reader of a page sees of its own content: navigation and hidden text out, names of tabs and notes in."""

from __future__ import annotations

import re
from itertools import islice, takewhile

from adapters.files.html.tree import (
    BLOCKS,
    BREAK,
    HEADINGS,
    Element,
    Tree,
    classes,
    emptied,
    gone,
    led,
    mostly_links,
    paragraph,
    say,
    text_of,
)

# --- What is seen ---------------------------------------------------------------------------------

_UNREAD = (
    "script style template noscript head title meta link svg canvas iframe object embed audio video dialog".split()
)
_UNREAD_ROLES = frozenset("search toolbar dialog alertdialog tablist".split())
_AROUND_ROLES = frozenset("navigation banner contentinfo complementary doc-toc menu menubar".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_AROUND = re.compile(
    r"(?:cookie|consent|gdpr)[-_]?\w*[-_]?(?:banner|bar|popup|modal|dialog|overlay|wall|wrapper)|onetrust|cybotcookie"
    r"|(?:^|[\s_-])(?:breadcrumbs?|skip(?:-?link|-?nav(?:igation)?|-?to-?\w+)|"
    r"mw-(?:editsection|jump-link)|sitesub|printfooter|ttc|sr-only|visually-hidden|screen-reader-text|"
    r"(?:in|out)put_?prompt)(?:$|[\s_-])"
)
_LISTED = ("share", "social", "related", "toc", "pagination", "newsletter", "breadcrumb", "sidebar")
_CONTENTS = re.compile(r"(?:^|\s)(?:toc2?|table-of-contents)(?:$|\s)")
_LINE_NUMBER = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?|lnt?|gutter|rouge-gutter|blob-num|hljs-ln-numbers|"
    r"line-numbers-rows|(?:react-)?\S*line-number)(?:$|\s)"
)
_LONGEST_BULLET = 4
_UNSELECTED = re.compile(r"user-select\s*:\s*none")
_NAMING = frozenset({*HEADINGS, "p", "dt", "summary"})
_NUMBERED = frozenset({"td", "th", "span", "div", "a", "code", "pre", "small"})
_PERMALINK = re.compile(r"headerlink|header-anchor|hash-link|anchorjs|heading-anchor|heading-link|(?:^|\s)anchor")
_COMMENT = re.compile(r"#cmnt(?:_ref)?[0-9]")
"""From the words of a page of Google Docs to what somebody remarked on them, and back."""
ABOUT = re.compile(r"sidebar|related|share|sharing|newsletter|promo|advert|author-bio|toc|table-of-contents|widget")


def drop_unseen(tree: Tree) -> None:
    for element in list(tree.root.iter(*_UNREAD)):
        gone(element)
    controlled = {one.get("aria-controls") for one in tree.having("aria-controls")}
    for element in tree.having("hidden", "aria-hidden", "style", "role"):
        hidden = (
            element.get("hidden") not in {None, "until-found"}
            or element.get("aria-hidden") == "true"
            or _HIDDEN.search(element.get("style") or "")
        )
        opens = element.getprevious() if hidden else None
        opened = element.get("id") in controlled or (opens is not None and opens.get("aria-expanded") is not None)
        if (hidden and not opened) or element.get("role") in _UNREAD_ROLES:
            gone(element)


def drop_around(tree: Tree) -> None:
    """Take out what stands around the content, on every page."""
    for element in tree.with_class(*_LISTED):
        listed = _CONTENTS.search(classes(element)) and element.find(".//a") is not None
        if element.tag in {"div", "section", "ul", "ol"} and (listed or _mostly_links(tree, element)):
            gone(element)
    for element in [*tree.root.iter("nav"), *tree.having("role")]:
        held = element.tag in {"main", "article", "body"}
        if element.tag == "nav" or (element.get("role") in _AROUND_ROLES and not held):
            gone(element)
    for element in list(tree.root.iter("header", "footer", "aside", "form", "button")):
        if _stands_around(tree, element):
            gone(element)
        elif element.tag == "header":
            for part in element.iter("ul", "ol"):
                if _mostly_links(tree, part):
                    gone(part)
    ids = ((one, one.get("id").lower()) for one in tree.having("id"))
    named = [one for one, name in ids if "skip" not in name and _AROUND.search(name)]
    for element in [*tree.classed(_AROUND), *named]:
        if element.tag not in {"body", "html", "main", "article", *HEADINGS}:
            gone(element)


def _stands_around(tree: Tree, element: Element) -> bool:
    """Whether it is a head without a heading, a foot, a sidebar, a form to search."""
    match element.tag:
        case "header":
            return element.find(".//h1") is None and not _within(element, {"article", "main", "section"})
        case "footer":
            return not _within(element, {"blockquote", "figure"})
        case "button":
            opens = any(element.get(name) is not None for name in ("aria-expanded", "aria-controls"))
            opens = opens or element.find(".//p") is not None
            around = next((one for one in islice(element.iterancestors(), 2) if one.tag in _NAMING), None)
            if opens and around is None:
                element.tag = "p"
            return not opens and (around is None or text_of(around) != text_of(element))
        case "form":
            inputs = list(element.iter("input"))
            asked = any(one.get("type") in {"search", "password", "email"} for one in inputs)
            filled = element.find(".//textarea") is not None or any(
                one.get("value") and one.get("type", "text") in {"text", "number", "date"} for one in inputs
            )
            wordy = next(element.iter("h1", "h2", "p", "table", "ul", "ol", "pre", "fieldset"), None) is not None
            return not filled and (not wordy or (asked and len(text_of(element)) < 200))
        case _:
            about = ABOUT.search(f"{classes(element)} {(element.get('id') or '').lower()}")
            titled = element.find("./p[@class='sidebar-title']") is not None
            return (bool(about) and not titled) or _mostly_links(tree, element)


def _mostly_links(tree: Tree, element: Element) -> bool:
    if tree.room <= 0:
        return False
    tree.room -= sum(map(len, element.itertext())) + 100
    return mostly_links(element)


def _within(element: Element, tags: set[str], steps: int = 12) -> bool:
    return any(parent.tag in tags for parent in islice(element.iterancestors(), steps))


def drop_marks(tree: Tree) -> None:
    """Take out numbers of code lines, links of headings to themselves, icons, remarks and the edges of a sheet."""
    for element in tree.with_class("lin", "ln", "gutter", "blob-num"):
        numbers = element.tag in _NUMBERED and _LINE_NUMBER.search(classes(element))
        if numbers and not any(map(str.isalpha, text_of(element))):
            emptied(element)
    for link in list(tree.root.iter("a")):
        own = (link.get("href") or "").startswith("#") and not any(map(str.isalnum, link.text or ""))
        if _COMMENT.match(link.get("href") or ""):
            gone(link.getparent() if link.get("href").startswith("#cmnt_ref") else link)
        elif own and (_PERMALINK.search(classes(link)) or text_of(link) in {"¶", "#", "§", "🔗"}):
            gone(link)
    for number in tree.having("style"):
        if _UNSELECTED.search(number.get("style")) and _within(number, {"pre"}):
            gone(number)
    for icon in tree.with_class("icon"):
        if icon.tag in {"span", "i"} and "icon" in classes(icon).split():
            gone(icon)
    for bullet in tree.with_class("^bullet$"):
        if bullet.tag != "li" and _within(bullet, {"li"}) and len(text_of(bullet)) < _LONGEST_BULLET:
            gone(bullet)
    for edge in tree.with_class("freezebar", "(?:row|column)-headers-background"):
        if edge.tag in {"td", "th"}:
            gone(edge)


# --- What stands before words of a page: the kind of a note, the name of a field, the box of a task ---

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
