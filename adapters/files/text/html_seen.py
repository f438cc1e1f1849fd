"""What a reader of a page sees of its own content: navigation and hidden text out, names of tabs and notes in."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from lxml import etree

from adapters.files.text.html_tree import (
    BLOCKS,
    BREAK,
    HEADINGS,
    Element,
    Tree,
    allowed,
    classes,
    emptied,
    gone,
    led,
    say,
    text_of,
)

_UNREAD = (
    "script style template noscript head title meta link svg canvas iframe object embed audio video dialog".split()
)
_UNREAD_ROLES = frozenset("search toolbar dialog alertdialog tablist".split())
_AROUND_ROLES = frozenset("navigation banner contentinfo complementary doc-toc menu menubar".split())
_CELLS = {"columnheader": "th", "rowheader": "th", "cell": "td", "gridcell": "td"}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_STYLE = re.compile(r"\.([\w-]{1,60})\s*\{([^{}]{0,2000})\}")
_TELLING = re.compile(
    r"text-decoration[^;]*line-through|vertical-align\s*:\s*(?:super|sub)\b|font-weight\s*:\s*(?:bold|[6-9]00)",
    re.IGNORECASE,
)
_MOST_STYLE = 500_000
"""Characters of style sheets in a page that are looked at."""
_AROUND = re.compile(
    r"(?:cookie|consent|gdpr)[-_]?\w*[-_]?(?:banner|bar|popup|modal|dialog|overlay|wall|wrapper)|onetrust|cybotcookie"
    r"|(?:^|[\s_-])(?:breadcrumbs?|skip(?:-?link|-?nav(?:igation)?|-?to-?\w+)|"
    r"mw-(?:editsection|jump-link)|sitesub|printfooter|ttc|sr-only|visually-hidden|screen-reader-text)(?:$|[\s_-])"
)
_LISTED = ("share", "social", "related", "toc", "pagination", "newsletter", "breadcrumb", "sidebar")
_CONTENTS = re.compile(r"(?:^|\s)(?:toc2?|table-of-contents)(?:$|\s)")
_LINE_NUMBER = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?|lnt?|gutter|rouge-gutter|blob-num|hljs-ln-numbers|"
    r"line-numbers-rows|(?:react-)?\S*line-number)(?:$|\s)"
)
_UNSELECTED = re.compile(r"user-select\s*:\s*none")
_GAP = re.compile(r"font:\s*7\.0pt|mso-list:\s*Ignore", re.IGNORECASE)
"""Between a bullet of Word and what it is of."""
_MARK = re.compile(r"\(?[\w.]{1,8}[.)]|\S")
_NAMING = frozenset({*HEADINGS, "p", "dt", "summary"})
_HOLDS = frozenset("body html div section article main header form center".split())
_NUMBERED = frozenset({"td", "th", "span", "div", "a", "code", "pre", "small"})
_PERMALINK = re.compile(r"headerlink|header-anchor|hash-link|anchorjs|heading-anchor|heading-link|(?:^|\s)anchor")
_LINE, _FRAGMENT, _PAIRS = re.compile("^line$"), re.compile("^fragment$"), re.compile("^hdlist$")
_TICKED = re.compile(r"checkbox-on|fa-check")
_COMMENT = re.compile(r"#cmnt(?:_ref)?[0-9]")
"""From the words of a page of Google Docs to what somebody remarked on them, and back."""
_ABOUT = re.compile(r"sidebar|related|share|sharing|newsletter|promo|advert|author-bio|toc|table-of-contents|widget")
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
_DEEPEST_LEAD = 6
_PANELS = ("tab-pane", "tabbed-block", "tabpanel", "tab-panel")
_TABS, _BLOCKS = re.compile("^tabs$"), re.compile("^blocks$")
"""Of Spectre, and of Zensical."""


class Pass(NamedTuple):
    """A change to the tree of a page."""

    name: str
    """What is not read where it fails."""
    read: Callable[[Tree], None]


def _styles(tree: Tree) -> None:
    """Take what strikes and raises words from style sheets to the elements that they name by their class."""
    named: dict[str, str] = {}
    room = _MOST_STYLE
    for sheet in tree.root.iter("style"):
        for rule in _STYLE.finditer((sheet.text or "")[: max(room, 0)]):
            if telling := _TELLING.search(rule[2]):
                named[rule[1]] = telling[0]
        room -= len(sheet.text or "")
    for element in tree.having("class") if named else ():
        if told := ";".join(named[name] for name in element.get("class").split() if name in named):
            tree.give(element, "style", f"{element.get('style') or ''};{told}")


def _roles(tree: Tree) -> None:
    """Tables, lists and headings that are made of other elements, as such."""
    for table in [*tree.where("role", "table"), *tree.where("role", "grid")]:
        rows = [row for row in table.iterdescendants("div", "span", "ul", "li") if row.get("role") == "row"]
        if table.tag != "div" or not rows or _within(table, {"table"}, 2_048):
            continue
        for row in rows:
            for cell in [cell for cell in row.iterdescendants() if cell.get("role") in _CELLS]:
                cell.tag = _CELLS[cell.get("role")]
                row.append(cell)
            row.tag = "tr" if row.find("*") is not None else "p"
            table.append(row)
        table.tag = "table"
    for cell in tree.where("role", "columnheader"):
        cell.tag = "th" if cell.tag == "td" else cell.tag
    for edge in tree.with_class("row-headers-background", "column-headers-background", "freezebar"):
        if edge.tag in {"td", "th"}:  # of Google Sheets
            edge.getparent().remove(edge)
    for entry in tree.where("role", "listitem"):
        if entry.tag in {"div", "span"} and entry.getparent().get("role") == "list":
            entry.tag, entry.getparent().tag = "li", "ul"
    for heading in tree.where("role", "heading"):
        level = heading.get("aria-level") or ""
        if heading.tag in {"div", "span", "p"}:
            heading.tag = f"h{level if level in set('123456') else 2}"
    first = next((one for one in tree.root.iter(*BLOCKS) if one.tag not in _HOLDS and text_of(one)), None)
    named = tree.root.find(".//title")
    titled = first is not None and named is not None and text_of(first) == text_of(named)
    if first is not None and first.tag == "p" and (titled or {"title", "msotitle"} & set(classes(first).split())):
        first.tag = "h1"
        first.set("title", "title")
    for table in tree.with_class("summary-table"):  # of Javadoc
        if table.tag != "div":
            continue
        row, width = None, sum("table-header" in classes(cell) for cell in table)
        for place, cell in enumerate(list(table)):
            if row is None or place % max(width, 1) == 0:
                row = etree.SubElement(table, "tr")
            cell.tag = "th" if "table-header" in classes(cell) else "td"
            row.append(cell)
        table.tag = "table"


def _listed(tree: Tree) -> None:
    """Paragraphs that Word numbers or marks with a bullet, as entries; code that is made of lines, as code."""
    for entry in tree.with_class("msolistparagraph"):
        gap = next((span for span in entry.iter("span") if _GAP.search(span.get("style") or "")), None)
        mark = gap.getparent() if gap is not None else None
        if entry.tag != "p" or mark is None or mark is entry or not _MARK.fullmatch(text_of(mark)):
            continue
        number = re.match(r"\s*([0-9]{1,4})[.)]", mark.text or "")
        level = re.search(r"level([1-9])|margin-left:\s*([0-9]{1,3})", entry.get("style") or "")
        depth = 0 if not level else int(level[1]) - 1 if level[1] else max(int(level[2]) // 36 - 1, 0)
        around = etree.Element("ol" if number else "ul", {"class": f"lst-kix_word-{min(depth, 9)}"})
        if number:
            around.set("start", number[1])
        gone(mark)
        entry.addprevious(around)
        around.append(entry)
        around.tail, entry.tail, entry.tag = entry.tail, None, "li"
    for code in tree.classed(_FRAGMENT):  # of Doxygen
        code.tag = "pre"
        for line in code.iterchildren("div"):
            if line.attrib.pop("class", "") == "line":
                line.tail = None
            else:
                gone(line)
    for pairs in tree.classed(_PAIRS):  # of AsciiDoctor
        for cell in pairs.iter("table", "tbody", "tr", "td"):
            cell.tag = {"table": "dl", "td": "dt" if "hdlist1" in classes(cell) else "dd"}.get(cell.tag, "div")


def _panels(tree: Tree) -> None:
    """Put the name of its tab over each panel, shown or not."""
    tabs = tree.where("role", "tab")
    named = {str(tab.get("id")): tab for tab in tabs if tab.get("id")}
    names: dict[str, str] = {}
    shared: set[str] = set()
    """Panels that several tabs only filter."""
    for tab in {*tabs, *tree.where("data-toggle", "tab"), *tree.where("data-bs-toggle", "tab")}:
        target = (tab.get("aria-controls") or tab.get("data-bs-target") or tab.get("href") or "").lstrip("#")
        shared |= {target} & names.keys()
        names[target] = text_of(tab)
    lists: list[list[str]] = []
    heads = {*tree.where("role", "tablist"), *tree.with_class("tabbed-labels")}
    heads |= {one for one in tree.classed(_TABS) if one.find("label") is not None}
    panels = {*tree.where("role", "tabpanel"), *tree.with_class(*_PANELS)}
    panels |= {one for blocks in tree.classed(_BLOCKS) for one in blocks}
    for element in tree.in_order(heads | panels):
        if element in heads:
            tabs_of = [tab for tab in element.iter() if tab.get("role") == "tab" or tab.tag == "label"]
            lists.append([text_of(tab) for tab in tabs_of][::-1])
            gone(element)
            continue
        while lists and not lists[-1]:
            lists.pop()
        by_order = lists[-1].pop() if lists else ""
        by = named.get(element.get("aria-labelledby") or "")
        name = names.get(element.get("id") or "-", "") or (text_of(by) if by is not None else "") or by_order
        name = "" if element.get("id") in shared else name
        for attribute in ("hidden", "aria-hidden", "style", "aria-labelledby"):
            element.attrib.pop(attribute, None)
        element.set("role", "tabpanel")
        if name:
            element.insert(0, _paragraph(f"{name.rstrip(':')}:", element))
    for tab in tree.with_class("tab-label"):
        if tab.tag == "label":
            tab.tag, tab.text = "p", allowed(f"{text_of(tab).rstrip(':')}:")
            del tab[:]
    for radio in tree.where("type", "radio"):
        if "tab" in (radio.get("name") or radio.get("id") or ""):
            gone(radio)


def _unseen(tree: Tree) -> None:
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


def _around(tree: Tree) -> None:
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
            opens = element.get("aria-expanded") is not None or element.get("aria-controls") is not None
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
            about = _ABOUT.search(f"{classes(element)} {(element.get('id') or '').lower()}")
            titled = element.find("./p[@class='sidebar-title']") is not None
            return (bool(about) and not titled) or _mostly_links(tree, element)


def _mostly_links(tree: Tree, element: Element) -> bool:
    if tree.room <= 0:
        return False
    size = len(text_of(element))
    tree.room -= size + 100
    links = sum(len(text_of(link)) for link in element.iter("a"))
    return links > 0 and 2 * links >= size


def _within(element: Element, tags: set[str], steps: int = 12) -> bool:
    return any(parent.tag in tags for parent in islice(element.iterancestors(), steps))


def _numbers(tree: Tree) -> None:
    """Take out numbers of code lines, links of headings to themselves, icons and remarks."""
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


def _leads(tree: Tree) -> None:
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
        if said and not _ABOUT.search(classes(note)):
            _lead(note, said[0].upper() + said[1:].rstrip(": ") + ": ")


def _fields(tree: Tree) -> None:
    """Put the name of a field, or an option, before what is said of it; make boxes of tasks."""
    for fields in tree.with_class("field-list", "docinfo", "option-list"):
        for name in [name for name in fields if name.tag == "dt"] if fields.tag == "dl" else []:
            said = name.getnext()
            if said is not None and said.tag == "dd" and (title := text_of(name).rstrip(": ")):
                _lead(said, f"{title}: ")
                gone(name)
    for kind in tree.with_class("classifier"):
        led(kind, " : ")
    for line in tree.classed(_LINE):
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
            say(box, "☑" if _TICKED.search(classes(box)) else "☐")
    for chosen in tree.with_class("selected-value"):  # of Notion
        chosen.tail = ", " if chosen.getnext() is not None else chosen.tail


def _paragraph(text: str, holder: Element) -> Element:
    """A paragraph to put first into `holder`, whose own first words follow it."""
    made = etree.Element("p")
    made.text, made.tail = allowed(text), allowed(holder.text or "")
    holder.text = None
    return made


def _lead(note: Element, words: str) -> None:
    first, inner = note, None
    if (content := note.find(".//td[@class='content']")) is not None:
        first = content
        content.getparent().getparent().set("role", "presentation")
        content.getparent().getparent().getparent().set("role", "presentation")
    for _ in range(_DEEPEST_LEAD):
        if (first.text or "").strip():
            break
        inner = next((child for child in first if any(map(str.strip, child.itertext()))), None)
        skipped = inner is None or any((child.tail or "").strip() for child in first[: first.index(inner)])
        if inner is None or skipped or inner.tag not in {"p", "div", "section", "span"}:
            break
        first = inner
    if first.tag in {"p", "span"} or (first.text or "").strip() or (inner is not None and inner.tag not in BLOCKS):
        led(first, words)
    elif len(first):
        first.insert(0, _paragraph(words.rstrip(), first))
    else:
        etree.SubElement(first, "p").text = allowed(words.rstrip())


AROUND = Pass("navigation", _around)
SEEN = (
    Pass("style sheets", _styles),
    Pass("tables of other elements", _roles),
    Pass("lists of Word", _listed),
    Pass("tab panels", _panels),
    Pass("titles of notes", _leads),
    Pass("hidden text", _unseen),
    AROUND,
    Pass("numbers of lines", _numbers),
    Pass("names of fields", _fields),
)
