"""What a reader of a page sees of its own content: navigation and hidden text out, tab panels and notes in."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from adapters.files.text.html_tree import BREAK, HEADINGS, Element, Tree, allowed, classes, gone, led, say, text_of

_UNREAD = """script style template noscript head title meta link svg canvas iframe object embed audio video nav
    dialog""".split()
_UNREAD_ROLES = frozenset(
    """navigation banner contentinfo search complementary menu menubar toolbar dialog alertdialog tablist
    doc-toc""".split()
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_COOKIES = re.compile(
    r"(?:cookie|consent|gdpr)[-_]?\w*[-_]?(?:banner|bar|popup|modal|dialog|overlay|wall|wrapper)|onetrust|cybotcookie"
)
_AROUND = re.compile(r"(?:^|[\s_-])(?:breadcrumbs?|skip(?:-?link|-?nav|-to-\w+)|skip-to-content)(?:$|[\s_-])")
_LINE_NUMBER = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?|lnt?|gutter|rouge-gutter|blob-num|hljs-ln-numbers|"
    r"line-numbers-rows|(?:react-)?\S*line-number)(?:$|\s)"
)
_NUMBERED = frozenset({"td", "th", "span", "div", "a", "code", "pre", "small"})
_PERMALINK = re.compile(
    r"headerlink|header-anchor|hash-link|anchorjs|heading-anchor|heading-link|mw-editsection|(?:^|\s)anchor"
)
_ABOUT = re.compile(r"sidebar|related|share|sharing|newsletter|promo|advert|author-bio|toc|table-of-contents|widget")
_KIND = re.compile(
    r"(?:^|[\s_-]+)(note|tip|hint|info|important|warning|caution|danger|attention|error|success|example|question|"
    r"seealso|todo|abstract|bug|failure|quote)(?=$|[\s_-])"
)
_NOTES = ("admonition", "callout", "aside", "alert", "custom-block", "custom-container", "information-macro", "hint")
_TITLE = re.compile(
    r"(?:admonition|alert|callout|aside|custom-block|panel)[\w-]*(?:title|heading)|^title$", re.IGNORECASE
)
_LONGEST_TITLE = 80
_DEEPEST_LEAD = 6
_PANELS = ("tab-pane", "tabbed-block", "tabpanel", "tab-panel")


def only_seen(tree: Tree) -> None:
    """Take out of a page what its reader does not see, or sees on every page."""
    for element in list(tree.root.iter(*_UNREAD)):
        gone(element)
    _panels(tree)
    _leads(tree)
    controlled = {one.get("aria-controls") for one in tree.having("aria-controls")}
    for element in tree.having("hidden", "aria-hidden", "role", "style"):
        unseen = _hidden(element) and element.get("id") not in controlled
        if unseen or (element.get("role") in _UNREAD_ROLES and element.tag not in {"main", "article", "body"}):
            gone(element)
    for element in list(tree.root.iter("header", "footer", "aside", "form", "button")):
        if _around(tree, element):
            gone(element)
    for element in tree.with_class("cookie", "Cookie", "consent", "gdpr", "onetrust", "breadcrumb", "skip"):
        name = f"{classes(element)} {(element.get('id') or '').lower()}"
        held = element.tag in {"body", "html", "main", "article", *HEADINGS}
        if not held and (_COOKIES.search(name) or _AROUND.search(name)):
            gone(element)
    for element in tree.with_class("share", "social", "related", "toc", "pagination", "newsletter", "breadcrumb"):
        listed = {"toc", "table-of-contents"} & set(classes(element).split()) and element.find(".//a") is not None
        if element.tag in {"div", "section", "ul", "ol"} and (listed or _mostly_links(tree, element)):
            gone(element)
    _marks_of_generators(tree)
    _fields(tree)


def _fields(tree: Tree) -> None:
    """Put the name of a field, or an option, before what is said of it."""
    for fields in tree.with_class("field-list", "docinfo", "option-list"):
        for name in [name for name in fields if name.tag == "dt"] if fields.tag == "dl" else []:
            said = name.getnext()
            if said is not None and said.tag == "dd" and (title := text_of(name).rstrip(": ")):
                _lead(said, f"{title}: ")
                gone(name)
    for kind in tree.with_class("classifier"):
        led(kind, " : ")
    for line in tree.where("class", "line"):
        if line.tag == "div":
            line.tag, line.tail = "span", BREAK
    for entry in tree.where("role", "doc-biblioentry"):
        if (name := entry.find("./span[@class='label']")) is not None and (title := text_of(name)):
            gone(name)
            _lead(entry, f"{title} ")


def _hidden(element: Element) -> bool:
    if element.get("hidden") not in {None, "until-found"} or element.get("aria-hidden") == "true":
        return True
    return bool(_HIDDEN.search(element.get("style") or ""))


def _around(tree: Tree, element: Element) -> bool:
    """Whether `element` stands around the content: a head without a heading, a foot, a sidebar, a form to search."""
    name = f"{classes(element)} {(element.get('id') or '').lower()}"
    match element.tag:
        case "header":
            return element.find(".//h1") is None and not _within(element, {"article", "main", "section"})
        case "footer":
            return not _within(element, {"blockquote", "figure"})
        case "button":
            return not _within(element, {*HEADINGS, "p", "dt", "summary"}, steps=2)
        case "form":
            inputs = list(element.iter("input"))
            asked = any(one.get("type") in {"search", "password", "email"} for one in inputs)
            filled = element.find(".//textarea") is not None or any(
                one.get("value") and one.get("type", "text") in {"text", "number", "date"} for one in inputs
            )
            wordy = next(element.iter("h1", "h2", "p", "table", "ul", "ol", "pre", "fieldset"), None) is not None
            return not filled and (not wordy or (asked and len(text_of(element)) < 200))
        case _:
            titled = element.find("./p[@class='sidebar-title']") is not None
            return (bool(_ABOUT.search(name)) and not titled) or _mostly_links(tree, element)


def _mostly_links(tree: Tree, element: Element) -> bool:
    if tree.room <= 0:
        return False
    size = len(text_of(element))
    tree.room -= size + 100
    links = sum(len(text_of(link)) for link in element.iter("a"))
    return links > 0 and 2 * links >= size


def _within(element: Element, tags: set[str], steps: int = 12) -> bool:
    parent = element.getparent()
    for _ in range(steps):
        if parent is None:
            return False
        if parent.tag in tags:
            return True
        parent = parent.getparent()
    return False


def _marks_of_generators(tree: Tree) -> None:
    """Numbers of code lines and links of headings to themselves."""
    for element in tree.with_class("lin", "ln", "gutter", "blob-num"):
        numbers = element.tag in _NUMBERED and _LINE_NUMBER.search(classes(element))
        if numbers and not any(map(str.isalpha, text_of(element))):
            gone_cell(element)
    for link in list(tree.root.iter("a")):
        own = (link.get("href") or "").startswith("#") and not any(map(str.isalnum, link.text or ""))
        if own and (_PERMALINK.search(classes(link)) or text_of(link) in {"¶", "#", "§", "🔗"}):
            gone(link)
    for element in tree.with_class("mw-editsection"):
        gone(element)


def gone_cell(element: Element) -> None:
    """Empty `element`, which stays a cell if it is one."""
    cell = element.tag if element.tag in {"td", "th"} else ""
    gone(element)
    element.tag = cell or element.tag


def _panels(tree: Tree) -> None:
    """Put the name of its tab over each panel, shown or not."""
    tabs = tree.where("role", "tab")
    named = {str(tab.get("id")): tab for tab in tabs if tab.get("id")}
    names: dict[str, str] = {}
    for tab in [*tabs, *tree.where("data-toggle", "tab"), *tree.where("data-bs-toggle", "tab")]:
        target = tab.get("aria-controls") or tab.get("data-bs-target") or tab.get("href") or ""
        names[target.lstrip("#")] = text_of(tab)
    lists: list[list[str]] = []
    heads = {*tree.where("role", "tablist"), *tree.with_class("tabbed-labels")}
    heads |= {one for one in tree.where("class", "tabs") if one.find("label") is not None}
    panels = {*tree.where("role", "tabpanel"), *tree.with_class(*_PANELS)}
    panels |= {one for blocks in tree.where("class", "blocks") for one in blocks}
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


def _paragraph(text: str, holder: Element) -> Element:
    """A paragraph to put first into `holder`, whose own first words follow it."""
    made = etree.Element("p")
    made.text, made.tail = allowed(text), allowed(holder.text or "")
    holder.text = None
    return made


def _leads(tree: Tree) -> None:
    """Put the title of a note, or what kind of note it is, before its first words."""
    noted = [*tree.with_class(*_NOTES), *tree.where("role", "note"), *tree.root.iter("aside")]
    for note in dict.fromkeys(noted):
        if note.tag not in {"div", "aside", "section", "blockquote"} or "footnote" in classes(note):
            continue
        title = next((part for part in islice(note.iter(), 1, 8) if _TITLE.search(classes(part))), None)
        said = text_of(title) if title is not None else ""
        if title is None:
            kind = _KIND.search(classes(note))
            said = note.get("aria-label") or (kind[1] if kind and note.get("role") != "navigation" else "")
        elif len(said) > _LONGEST_TITLE:
            continue
        else:
            gone(title)
            if (title.tail or "").strip():
                say(title, said.rstrip(": ").capitalize() + ": ")
                continue
        if said and not _ABOUT.search(classes(note)):
            _lead(note, said[0].upper() + said[1:].rstrip(": ") + ": ")


def _lead(note: Element, words: str) -> None:
    first = note
    if (content := note.find(".//td[@class='content']")) is not None:
        first = content
        content.getparent().getparent().set("role", "presentation")
        content.getparent().getparent().getparent().set("role", "presentation")
    for _ in range(_DEEPEST_LEAD):
        if (first.text or "").strip():
            break
        inner = next((child for child in first if any(map(str.strip, child.itertext()))), None)
        skipped = (
            any((child.tail or "").strip() for child in first[: first.index(inner)]) if inner is not None else True
        )
        if inner is None or skipped or inner.tag not in {"p", "div", "section", "span"}:
            break
        first = inner
    if first.tag in {"p", "span"} or (first.text or "").strip():
        led(first, words)
    elif len(first):
        first.insert(0, _paragraph(words.rstrip(), first))
    else:
        say_after = etree.SubElement(first, "p")
        say_after.text = allowed(words.rstrip())
