"""HTML as blocks: the visible content of a page, with code line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, islice, pairwise

from lxml import etree

from adapters.files.content import OutlineBuilder, ParsedFile, clean_label, drop_placeholder_title
from adapters.files.html.footnotes import find_footnotes, inline_footnotes
from adapters.files.html.inline_text import (
    ANNOTATED_TAGS,
    InlineContext,
    InlineText,
    convert_formulas,
    convert_inline_marks,
)
from adapters.files.html.structure import (
    MAX_ROW_SPAN,
    apply_aria_roles,
    cell_annotations,
    convert_generated_docs,
    convert_word_lists,
    count_html_headers,
    inline_css_styles,
    is_layout_table,
    is_repeated_row,
    label_tab_panels,
    parse_html_int,
    promote_title,
    row_cell_elements,
    table_row_elements,
)
from adapters.files.html.tree import (
    BLOCK_TAGS,
    HEADING_TAGS,
    LINE_BREAK,
    HtmlElement,
    HtmlTree,
    class_names,
    decode_html,
    element_text,
    elements_containing,
    has_min_length,
)
from adapters.files.html.visibility import (
    drop_boilerplate,
    drop_decorations,
    drop_hidden,
    label_admonitions,
    label_fields,
)
from adapters.files.table_grid import MAX_COLUMNS, Cell, iter_filled_rows, merge_header_rows
from pipeline.values import BlockKind, replace

_CODE_CELL = re.compile(r"(?:^|[\s_-])(?:code|blob-code\S*|hljs-ln-code|rouge-code|lntd|crayon-code)(?:$|\s)")
_CODE_TABLE = re.compile(r"highlight|lntable|hljs-ln|rouge|codehilite|crayon|js-file-line|code-?table|blob-wrapper")


def code_text(element: HtmlElement) -> str:
    """Return the text of `element`, with each block in it on lines of its own."""
    parts: list[str] = [element.text or ""]
    last = parts[0][-1:]
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        if inner is element:
            continue
        if inner.tag in BLOCK_TAGS and last not in {"", "\n", LINE_BREAK} and inner.tag not in {"td", "th"}:
            parts.append("\n")
            last = "\n"
        if text := inner.text if event == "start" else inner.tail:
            parts.append(text)
            last = text[-1]
    return "".join(parts).replace(LINE_BREAK, "\n")


def code_table_lines(table: HtmlElement) -> list[str]:
    """Return the codes of a table that shows lines beside their numbers, or nothing for another table."""
    if not _CODE_TABLE.search(class_names(table)) and "highlight" not in _parent_class(table):
        return []
    cells = [cell for cell in table.iter("td") if _CODE_CELL.search(class_names(cell))]
    if not cells:
        return []
    codes = [code for pre in table.iter("pre") if (code := code_text(pre)).strip()]
    return codes or ["\n".join(code_text(cell).strip("\n") for cell in cells)]


def _parent_class(table: HtmlElement) -> str:
    parent = table.getparent()
    return class_names(parent) if parent is not None else ""


TREE_PASSES: dict[str, Callable[[HtmlTree], None]] = {
    "formulas": convert_formulas,
    "style sheets": inline_css_styles,
    "roles of elements": apply_aria_roles,
    "title": promote_title,
    "lists of Word": convert_word_lists,
    "lists and tables": convert_generated_docs,
    "tab panels": label_tab_panels,
    "titles of notes": label_admonitions,
    "hidden text": drop_hidden,
    "navigation": drop_boilerplate,
    "numbers of lines": drop_decorations,
    "names of fields": label_fields,
    "calls of notes": find_footnotes,
    "raised, struck and filled-in words": convert_inline_marks,
    "notes": inline_footnotes,
}
"""Changes to the tree of a page before its blocks are read, in this order."""
_MIN_CHARACTERS = 40
"""Characters below which a page is nothing but navigation, which then is its content."""
_MIN_MAIN_CHARACTERS = 200
"""Characters that <main> or <article> must hold to count as the content."""
_MAX_ANCHOR_LENGTH = 400
"""Characters of an `id` that is used in links."""
MAX_TREE_DEPTH = 140
"""Depth below which elements are read as inline text."""
_LISTS = frozenset({"ul", "ol", "menu"})
_OPENING = frozenset({"p", "div", "summary"})
"""Elements that are the text of a list entry where they contain no blocks."""
_WRAPPING = frozenset({"div", "section", "article", "details"})
"""Elements that contain such text and more."""
_GOOGLE_LEVEL = re.compile(r"\blst-kix_\w+-([1-9])(?:\s|$)")
"""Class by which Google Docs marks nested lists, which it writes behind each other."""


def read_html(content: bytes) -> ParsedFile:
    """Read the main content with headings, lists, tables and code, without scripts, hidden text and navigation."""
    page = HtmlPage(decode_html(content))
    return page.read_content(page.main_element())


def append_html(outline: OutlineBuilder, fragment: str, *, titled: bool = False) -> None:
    """Append a fragment of HTML to `outline`. With `titled`, its `h1` is the title."""
    HtmlPage(fragment, outline, titled=titled).fill_outline()


class HtmlPage:
    """A page, or a fragment of one, as the tree of its visible elements. With `titled`, a fragment's `h1` is the title;
    None stands for a whole page."""

    def __init__(self, text: str, outline: OutlineBuilder | None = None, *, titled: bool | None = None) -> None:
        self._outline = outline or OutlineBuilder()
        self._prepare_tree(text)
        if titled is None and not has_min_length(self.root, _MIN_CHARACTERS):
            self._prepare_tree(text, skipped=drop_boilerplate)
        if titled is None:
            heads = self.root.findall(".//h1[@title='title']") or self.root.findall(".//h1")
            self._title = heads[0] if len(heads) == 1 else None
        else:
            self._title = self.root.find(".//h1") if titled else None

    def _prepare_tree(self, text: str, skipped: Callable[[HtmlTree], None] | None = None) -> None:
        tree = HtmlTree(text)
        self.root = tree.root
        if tree.is_too_deep:
            self._outline.note_unread("what is nested within more than two thousand elements, and what follows it")
        title, base = self.root.find(".//title"), self.root.find(".//base[@href]")
        self._named = drop_placeholder_title(element_text(title)) if title is not None else ""
        self._base = (base.get("href") or "") if base is not None else ""
        for name, change in TREE_PASSES.items():
            with self._outline.skip_damaged(f"some {name}"):
                if change is not skipped:
                    change(tree)
        for description in tree.unread:
            self._outline.note_unread(description)

    def main_element(self) -> HtmlElement:
        """Return the element that the page itself marks as its content, otherwise the root."""
        for path in (".//main", ".//*[@role='main']", ".//article"):
            candidates = self.root.findall(path)
            if len(candidates) == 1 and has_min_length(candidates[0], _MIN_MAIN_CHARACTERS):
                return candidates[0]
        return self.root

    def read_content(self, main: HtmlElement) -> ParsedFile:
        self.fill_outline(main)
        content = self._outline.build()
        return content if content.title else replace(content, title=clean_label(self._named))

    def fill_outline(self, main: HtmlElement | None = None) -> None:
        main = self.root if main is None else main
        context = InlineContext(self._base, elements_containing(main), elements_containing(main, ANNOTATED_TAGS))
        _PageWalker(self._outline, context, self._title).read_children(main, 0, nested=0)


class _PageWalker:
    def __init__(self, outline: OutlineBuilder, context: InlineContext, title: HtmlElement | None) -> None:
        self._outline = outline
        self._context = context
        self._holders = context.block_holders
        self._title = title

    def read_children(self, holder: HtmlElement, depth: int, *, nested: int, start: int | None = None) -> None:
        """Add the blocks of `holder`, or those from the child `start` on. Text between them is prose. `nested` counts
        the lists around them."""
        run = InlineText(self._context)
        if start is None:
            run.add_text(holder.text)
        for element in holder[start or 0 :]:
            if self._is_block(element) and depth <= MAX_TREE_DEPTH:
                self._add_block(BlockKind.PROSE, run, nested)
                run = InlineText(self._context)
                self._read_guarded(element, depth, nested)
            else:
                run.add_element(element)
            run.add_text(element.tail)
        self._add_block(BlockKind.PROSE, run, nested)

    def _read_guarded(self, element: HtmlElement, depth: int, nested: int) -> None:
        with self._outline.skip_damaged(f"an element of the page (<{element.tag}>)"):
            self._read_block(element, depth, nested=nested)

    def _read_block(self, element: HtmlElement, depth: int, *, nested: int) -> None:
        name = element.tag
        if name == "p" and element not in self._holders:
            self._add_block(BlockKind.PROSE, self._read_inline(element), nested)
        elif name in HEADING_TAGS:
            words = self._read_inline(element)
            self._outline.anchor = _heading_anchor(element)
            level = int(name[1])
            self._outline.add_heading(level, words.text, title=element is self._title, code=words.code)
            self._outline.anchor = ""
        elif name in _LISTS:
            self._read_list(element, depth, nested)
        elif name == "table":
            self._read_table(element, depth, nested)
        elif name == "pre":
            self._outline.add(BlockKind.CODE, code_text(element), depth=nested)
        elif name == "dt":
            words = self._read_inline(element)
            text = words.text.strip().rstrip(":") + ":"
            self._outline.add(BlockKind.PROSE, text, depth=nested, links=words.links, code=words.code)
        elif name == "dd":
            self._read_item(element, depth, nested, number=None)
        else:
            self.read_children(element, depth + 1, nested=nested)

    def _read_list(self, element: HtmlElement, depth: int, nested: int) -> None:
        level = _GOOGLE_LEVEL.search(element.get("class") or "")
        nested += int(level[1]) if level else 0
        counts = element.tag == "ol" and not nested
        number = parse_html_int(element.get("start")) if counts else 0
        loose = InlineText(self._context)
        loose.add_text(element.text)
        for item in element:
            block = self._is_block(item) and depth <= MAX_TREE_DEPTH
            if item.tag == "li" or block:
                self._add_block(BlockKind.PROSE, loose, nested + 1)
                loose = InlineText(self._context)
            if item.tag == "li":
                number = parse_html_int(item.get("value"), number) if counts else 0
                self._read_item(item, depth, nested, number=number if counts else None)
                number += 1
            elif block:
                self._read_guarded(item, depth + 1, nested + 1)
            else:
                loose.add_element(item)
            loose.add_text(item.tail)
        self._add_block(BlockKind.PROSE, loose, nested + 1)

    def _read_item(self, item: HtmlElement, depth: int, nested: int, *, number: int | None) -> None:
        """Add a list item. Inline content and paragraphs that open it are its text; its other blocks follow, a level
        deeper if there is such text. `number` is that of a step."""
        words = InlineText(self._context)
        words.add_text(item.text)
        end = 0
        for child in item:
            paragraph = child.tag in _OPENING and child not in self._holders
            if not paragraph and self._is_block(child):
                break
            words.add_text(LINE_BREAK if paragraph else "")
            words.add_element(child)
            words.add_text(LINE_BREAK if paragraph else "")
            words.add_text(child.tail)
            end += 1
        kind = BlockKind.ITEM if number is None else BlockKind.STEP
        has_text = self._add_block(kind, words, nested, number or 0)
        if end < len(item) and not has_text and item[end].tag in _WRAPPING and depth <= MAX_TREE_DEPTH:
            wrapper, end, has_text = item[end], end + 1, True
            self._read_item(wrapper, depth + 1, nested, number=number)
            words = InlineText(self._context)
            words.add_text(wrapper.tail)
            self._add_block(BlockKind.PROSE, words, nested + 1)
        if end < len(item):
            self.read_children(item, depth + 1, nested=nested + (has_text or item.tag == "dd"), start=end)

    def _read_table(self, table: HtmlElement, depth: int, nested: int) -> None:
        for caption in table.iterchildren("caption"):
            self.read_children(caption, depth + 1, nested=nested)
        if code := code_table_lines(table):
            for text in code:
                self._outline.add(BlockKind.CODE, text, depth=nested)
            return
        rows = list(table_row_elements(table))
        if is_layout_table(table, rows):
            for row in rows:
                for cell in row_cell_elements(row):
                    self.read_children(cell, depth + 1, nested=nested)
            return
        for stray in table.iterchildren("p", "div"):
            self._read_guarded(stray, depth + 1, nested)
        grid = iter_filled_rows(map(self._read_cell, row_cell_elements(row)) for row in rows)
        head = list(islice(grid, count_html_headers(rows)))
        self._outline.add_table([], header=0)
        self._outline.add_row(
            BlockKind.HEADER,
            merge_header_rows([[cell.text for cell in row] for row in head]),
            depth=nested,
            **cell_annotations(chain(*head)),
        )
        for row, below in pairwise(chain(grid, [[]])):
            if not is_repeated_row(row, below):
                self._outline.add_row(BlockKind.ROW, [cell.text for cell in row], depth=nested, **cell_annotations(row))

    def _read_cell(self, cell: HtmlElement) -> Cell:
        if not len(cell) and not cell.keys():
            return Cell(" ".join((cell.text or "").split()))
        words = self._read_inline(cell)
        columns, rows = cell.get("colspan"), cell.get("rowspan")
        across = min(parse_html_int(columns), MAX_COLUMNS) if columns else 1
        down = (min(parse_html_int(rows), MAX_ROW_SPAN) or MAX_ROW_SPAN) if rows else 1
        return Cell(words.text, across or 1, down, tuple(words.links), tuple(words.code))

    def _read_inline(self, element: HtmlElement) -> InlineText:
        words = InlineText(self._context)
        words.add_element(element)
        return words

    def _add_block(self, kind: BlockKind, words: InlineText, nested: int, number: int = 0) -> bool:
        """Add a block of these words. Return whether there are any."""
        if text := words.text:
            self._outline.add(kind, text, depth=nested, number=number, links=words.links, code=words.code)
        return bool(text)

    def _is_block(self, element: HtmlElement) -> bool:
        return element.tag in BLOCK_TAGS or element in self._holders


def _heading_anchor(heading: HtmlElement) -> str:
    anchor = heading.get("id") or ""
    return anchor if len(anchor) <= _MAX_ANCHOR_LENGTH else ""
