"""What a reader of a page sees of its own content: navigation and hidden text out, names of tabs and notes in."""

from __future__ import annotations

import re
from itertools import islice

from adapters.files.text.html_tree import (
    HEADINGS,
    Element,
    Tree,
    classes,
    emptied,
    gone,
    mostly_links,
    text_of,
)

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
