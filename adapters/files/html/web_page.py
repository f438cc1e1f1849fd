"""A page of a web site as blocks: its main content, without the site around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from adapters.files.content import ParsedFile
from adapters.files.html.reader import HtmlPage
from adapters.files.html.tree import HEADING_TAGS, HtmlElement, decode_html, is_mostly_links, remove_element

_WORDS = 3
"""Words in a row by which two texts are recognised as one."""
_OUTLIERS = 0.05
"""Share of the characters at either end that is ignored: one footer that is taken for content does not widen the
rest."""


def read_web_page(content: bytes) -> ParsedFile:
    """Read the content that trafilatura finds, in its own structure: headings with their ids, lists, tables and code.

    Trafilatura finds the place of the content. The parts inside it that trafilatura leaves out (short items, code,
    panels of tabs) are kept, but for parts that are mostly links.
    """
    import trafilatura

    page = HtmlPage(decode_html(content))
    matches = _find_matches(page.root, trafilatura.extract(content, include_comments=False, favor_recall=True) or "")
    main = page.main_element()
    if main is page.root and matches:
        main = _common_holder(matches, page.root)
    if matches:
        _remove_link_lists(main, [holder for holder, _ in matches])
    return page.read_content(main)


def _find_matches(root: HtmlElement, text: str) -> list[tuple[HtmlElement, int]]:
    """Return the elements whose texts are in `text`, where they are long enough to be recognised, with the length of
    each."""
    extracted_runs = set(_word_runs(text.replace("|", " ").split()))
    return [
        (holder, len(snippet))
        for holder, snippet in _iter_texts(root)
        if (run := next(_word_runs(snippet.split()), None)) and run in extracted_runs
    ]


def _iter_texts(root: HtmlElement) -> Iterator[tuple[HtmlElement, str]]:
    for element in root.iter():
        if element.text:
            yield element, element.text
        for child in element:
            if child.tail:
                yield element, child.tail


def _word_runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + _WORDS]) for start in range(len(words) - _WORDS + 1))


def _common_holder(matches: Sequence[tuple[HtmlElement, int]], root: HtmlElement) -> HtmlElement:
    """Return the innermost element with a heading around all of `matches` but its outliers."""
    totals = list(accumulate(size for _, size in matches))
    first = next(index for index, size in enumerate(totals) if size > _OUTLIERS * totals[-1])
    last = next(index for index, size in enumerate(totals) if size >= (1 - _OUTLIERS) * totals[-1])
    around = set(_self_and_ancestors(matches[first][0]))
    shared = (parent for parent in _self_and_ancestors(matches[last][0]) if parent in around)
    return next((parent for parent in shared if next(parent.iter(*HEADING_TAGS), None) is not None), root)


def _self_and_ancestors(element: HtmlElement) -> Iterator[HtmlElement]:
    yield element
    yield from element.iterancestors()


def _remove_link_lists(main: HtmlElement, kept_elements: Iterable[HtmlElement]) -> None:
    """Remove the parts of `main` that contain none of `kept_elements` and are mostly links: share buttons, other
    pages."""
    holders: set[HtmlElement] = set()
    for holder in kept_elements:
        for parent in _self_and_ancestors(holder):
            if parent in holders:
                break
            holders.add(parent)
    for part in [part for part in main.iter("div", "section", "ul", "p") if _is_outermost(part, holders)]:
        if is_mostly_links(part):
            remove_element(part)


def _is_outermost(part: HtmlElement, holders: set[HtmlElement]) -> bool:
    return part not in holders and part.getparent() in holders
