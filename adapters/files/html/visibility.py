"""The visible content of a page: navigation and hidden text are removed, names of tabs and notes are added."""

from __future__ import annotations

import re
from itertools import islice, takewhile

from adapters.files.html.tree import (
    BLOCK_TAGS,
    HEADING_TAGS,
    LINE_BREAK,
    HtmlElement,
    HtmlTree,
    class_names,
    clear_element,
    element_text,
    is_mostly_links,
    prepend_paragraph,
    prepend_text,
    remove_element,
    replace_with_text,
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
"""Classes and ids of banners, breadcrumbs, links to skip to the content, and text for screen readers."""
_LISTED = ("share", "social", "related", "toc", "pagination", "newsletter", "breadcrumb", "sidebar")
_CONTENTS = re.compile(r"(?:^|\s)(?:toc2?|table-of-contents)(?:$|\s)")
_LINE_NUMBER = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?|lnt?|gutter|rouge-gutter|blob-num|hljs-ln-numbers|"
    r"line-numbers-rows|(?:react-)?\S*line-number)(?:$|\s)"
)
"""Classes of line numbers beside code."""
_MAX_BULLET_LENGTH = 4
_UNSELECTED = re.compile(r"user-select\s*:\s*none")
_NAMING = frozenset({*HEADING_TAGS, "p", "dt", "summary"})
_NUMBERED = frozenset({"td", "th", "span", "div", "a", "code", "pre", "small"})
_PERMALINK = re.compile(r"headerlink|header-anchor|hash-link|anchorjs|heading-anchor|heading-link|(?:^|\s)anchor")
_COMMENT = re.compile(r"#cmnt(?:_ref)?[0-9]")
"""Links from the words of a page of Google Docs to a comment on them, and back."""
BOILERPLATE_CLASSES = re.compile(
    r"sidebar|related|share|sharing|newsletter|promo|advert|author-bio|toc|table-of-contents|widget"
)


def drop_hidden(tree: HtmlTree) -> None:
    for element in list(tree.root.iter(*_UNREAD)):
        remove_element(element)
    controlled = {control.get("aria-controls") for control in tree.with_attribute("aria-controls")}
    for element in tree.with_attribute("hidden", "aria-hidden", "style", "role"):
        is_hidden = (
            element.get("hidden") not in {None, "until-found"}
            or element.get("aria-hidden") == "true"
            or _HIDDEN.search(element.get("style") or "")
        )
        opens = element.getprevious() if is_hidden else None
        is_opened = element.get("id") in controlled or (opens is not None and opens.get("aria-expanded") is not None)
        if (is_hidden and not is_opened) or element.get("role") in _UNREAD_ROLES:
            remove_element(element)


def drop_boilerplate(tree: HtmlTree) -> None:
    """Remove the parts that surround the content on every page."""
    for element in tree.with_class_containing(*_LISTED):
        is_contents = _CONTENTS.search(class_names(element)) and element.find(".//a") is not None
        if element.tag in {"div", "section", "ul", "ol"} and (is_contents or _is_link_list(tree, element)):
            remove_element(element)
    for element in [*tree.root.iter("nav"), *tree.with_attribute("role")]:
        is_content = element.tag in {"main", "article", "body"}
        if element.tag == "nav" or (element.get("role") in _AROUND_ROLES and not is_content):
            remove_element(element)
    for element in list(tree.root.iter("header", "footer", "aside", "form", "button")):
        if _is_boilerplate(tree, element):
            remove_element(element)
        elif element.tag == "header":
            for part in element.iter("ul", "ol"):
                if _is_link_list(tree, part):
                    remove_element(part)
    ids = ((candidate, candidate.get("id").lower()) for candidate in tree.with_attribute("id"))
    by_id = [candidate for candidate, name in ids if "skip" not in name and _AROUND.search(name)]
    for element in [*tree.with_class_matching(_AROUND), *by_id]:
        if element.tag not in {"body", "html", "main", "article", *HEADING_TAGS}:
            remove_element(element)


def _is_boilerplate(tree: HtmlTree, element: HtmlElement) -> bool:
    """Return whether an element is a header without a heading, a footer, a sidebar or a search form."""
    match element.tag:
        case "header":
            return element.find(".//h1") is None and not _is_inside(element, {"article", "main", "section"})
        case "footer":
            return not _is_inside(element, {"blockquote", "figure"})
        case "button":
            opens = any(element.get(name) is not None for name in ("aria-expanded", "aria-controls"))
            opens = opens or element.find(".//p") is not None
            around = next(
                (ancestor for ancestor in islice(element.iterancestors(), 2) if ancestor.tag in _NAMING), None
            )
            if opens and around is None:
                element.tag = "p"
            return not opens and (around is None or element_text(around) != element_text(element))
        case "form":
            inputs = list(element.iter("input"))
            is_search = any(field.get("type") in {"search", "password", "email"} for field in inputs)
            filled = element.find(".//textarea") is not None or any(
                field.get("value") and field.get("type", "text") in {"text", "number", "date"} for field in inputs
            )
            wordy = next(element.iter("h1", "h2", "p", "table", "ul", "ol", "pre", "fieldset"), None) is not None
            return not filled and (not wordy or (is_search and len(element_text(element)) < 200))
        case _:
            about = BOILERPLATE_CLASSES.search(f"{class_names(element)} {(element.get('id') or '').lower()}")
            titled = element.find("./p[@class='sidebar-title']") is not None
            return (bool(about) and not titled) or _is_link_list(tree, element)


def _is_link_list(tree: HtmlTree, element: HtmlElement) -> bool:
    if tree.room <= 0:
        return False
    tree.room -= sum(map(len, element.itertext())) + 100
    return is_mostly_links(element)


def _is_inside(element: HtmlElement, tags: set[str], steps: int = 12) -> bool:
    return any(parent.tag in tags for parent in islice(element.iterancestors(), steps))


def drop_decorations(tree: HtmlTree) -> None:
    """Remove line numbers of code, links of headings to themselves, icons, comments and the edges of a sheet."""
    for element in tree.with_class_containing("lin", "ln", "gutter", "blob-num"):
        numbers = element.tag in _NUMBERED and _LINE_NUMBER.search(class_names(element))
        if numbers and not any(map(str.isalpha, element_text(element))):
            clear_element(element)
    for link in list(tree.root.iter("a")):
        own = (link.get("href") or "").startswith("#") and not any(map(str.isalnum, link.text or ""))
        if _COMMENT.match(link.get("href") or ""):
            remove_element(link.getparent() if link.get("href").startswith("#cmnt_ref") else link)
        elif own and (_PERMALINK.search(class_names(link)) or element_text(link) in {"¶", "#", "§", "🔗"}):
            remove_element(link)
    for number in tree.with_attribute("style"):
        if _UNSELECTED.search(number.get("style")) and _is_inside(number, {"pre"}):
            remove_element(number)
    for icon in tree.with_class_containing("icon"):
        if icon.tag in {"span", "i"} and "icon" in class_names(icon).split():
            remove_element(icon)
    for bullet in tree.with_class_containing("^bullet$"):
        if bullet.tag != "li" and _is_inside(bullet, {"li"}) and len(element_text(bullet)) < _MAX_BULLET_LENGTH:
            remove_element(bullet)
    for edge in tree.with_class_containing("freezebar", "(?:row|column)-headers-background"):
        if edge.tag in {"td", "th"}:
            remove_element(edge)


# --- What stands before words of a page: the kind of a note, the name of a field, the box of a task ---

_KIND = re.compile(
    r"(?:^|[\s_-]+)(note|tip|hint|info|important|warning|caution|danger|attention|error|success|example|question|"
    r"seealso|todo|abstract|bug|failure|quote)(?=$|[\s_-])"
)
"""Kind of a note in its classes."""
_NOTE = re.compile(
    r"(?:^|[\s_-])(?:admonition(?:block)?|callout|aside|alert|custom-(?:block|container)|information-macro|hint)\b"
)
"""Classes of notes."""
_TITLE = re.compile(
    r"(?:admonition|alert|callout|aside|custom-block|panel)[\w-]*(?:title|heading)|^title$", re.IGNORECASE
)
"""Classes of the title of a note."""
_MAX_TITLE_LENGTH = 80
_OPENING = frozenset({"p", "div", "section"})


def label_admonitions(tree: HtmlTree) -> None:
    """Put the title of a note, or its kind, before its first words."""
    kinds: set[HtmlElement] = set()
    for note in dict.fromkeys(
        [*tree.with_class_matching(_NOTE), *tree.with_attribute_value("role", "note"), *tree.root.iter("aside")]
    ):
        if note.tag not in {"div", "aside", "section", "blockquote"} or "footnote" in class_names(note):
            continue
        title = next((part for part in islice(note.iter(), 1, 8) if _TITLE.search(class_names(part))), None)
        label = element_text(title) if title is not None else ""
        if title is None:
            kind = _KIND.search(class_names(note))
            label = note.get("aria-label") or (kind[1] if kind and note.get("role") != "navigation" else "")
            label = "" if any(ancestor in kinds for ancestor in islice(note.iterancestors(), 3)) else label
            kinds.add(note)
        elif len(label) > _MAX_TITLE_LENGTH:
            continue
        else:
            remove_element(title)
            if (title.tail or "").strip():
                replace_with_text(title, label.rstrip(": ").capitalize() + ": ")
                continue
        if label and not BOILERPLATE_CLASSES.search(class_names(note)):
            _prepend_label(note, label[0].upper() + label[1:].rstrip(": ") + ": ")


def _prepend_label(note: HtmlElement, words: str) -> None:
    """Put `words` before the first paragraph of `note`, or above it where it begins with something else."""
    for content in note.iterfind(".//td[@class='content']"):  # of AsciiDoctor, beside an icon
        note = content
        next(note.iterancestors("table")).set("role", "presentation")
    first = next((element for element in note.iter() if (element.text or "").strip()), note)
    around = takewhile(lambda ancestor: ancestor is not note, [first, *first.iterancestors()])
    blocks = [block for block in around if block.tag in BLOCK_TAGS]
    if all(block.tag in _OPENING for block in blocks):
        prepend_text(blocks[0] if blocks else note, words)
    else:
        prepend_paragraph(words.rstrip(), note)


def label_fields(tree: HtmlTree) -> None:
    """Put the name of a field, or an option, before its text. Write the boxes of tasks."""
    for fields in tree.with_class_containing("field-list", "docinfo", "option-list"):
        for name in [name for name in fields if name.tag == "dt"] if fields.tag == "dl" else []:
            definition = name.getnext()
            if definition is not None and definition.tag == "dd" and (title := element_text(name).rstrip(": ")):
                _prepend_label(definition, f"{title}: ")
                remove_element(name)
    for kind in tree.with_class_containing("classifier"):
        prepend_text(kind, " : ")
    for line in tree.with_class_containing("^line$"):
        if line.tag == "div":
            line.tag, line.tail = "span", LINE_BREAK
    for entry in tree.with_attribute_value("role", "doc-biblioentry"):
        if (name := entry.find("./span[@class='label']")) is not None and (title := element_text(name)):
            remove_element(name)
            _prepend_label(entry, f"{title} ")
    for tasks in tree.with_class_containing("inline-task-list"):  # of Confluence
        for task in tasks.iterchildren("li"):
            prepend_text(task, "☑ " if "checked" in class_names(task).split() else "☐ ")
    for box in tree.with_class_containing(
        "checkbox-o", "fa-check-square-o", "fa-square-o"
    ):  # of Notion and AsciiDoctor
        if not element_text(box):
            replace_with_text(box, "☑" if re.search("checkbox-on|fa-check", class_names(box)) else "☐")
    for task in tree.with_attribute("data-tag"):  # of OneNote
        if (kind := task.get("data-tag")).startswith("to-do"):
            prepend_text(task, "☑ " if "completed" in kind else "☐ ")
    for chosen in tree.with_class_containing("selected-value"):  # of Notion
        chosen.tail = ", " if chosen.getnext() is not None else chosen.tail
