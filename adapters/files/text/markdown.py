"""Markdown -> blocks; plain text too, as Markdown without its inline marks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from adapters.files.outline import TEXT_PAGE, Content, Outline, Progress, label, safe_url, unheard
from adapters.files.text import html
from adapters.files.text.decode import decode
from adapters.files.text.generators import GAP, without_marks
from adapters.files.text.markdown_parts import PART, Parts, in_parts
from pipeline.values import BlockKind, Link

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\r?\n(.*?)\r?\n\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"[A-Za-z][\w -]*")
_TASK = re.compile(r"\[[ xX]\] ")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")
_WRAPPED = 50
"""A line this long was probably broken by an editor, not by its author."""


def read_markdown(content: bytes, on_pages: Progress = unheard) -> Content:
    """CommonMark with tables; a front matter of `title`, `product`, `document_type`, `url` and others."""
    text = decode(content)
    known: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        known = dict(_front_matter(front.group(1)))
        text = text[front.end() :]
    elif front := _TOML.match(text):
        with suppress(tomllib.TOMLDecodeError):
            known = {key.lower(): str(value) for key, value in tomllib.loads(front.group(1)).items()}
        text = text[front.end() :]
    markdown = without_marks(MarkdownIt("commonmark").enable("table"))
    return _content(_MarkdownWalk(markdown, " ".join, guess=False, on_pages=on_pages), text, known)


def read_text(content: bytes, on_pages: Progress = unheard) -> Content:
    """Paragraphs, lists and headings as people write them in plain text; every character stays."""
    rules = ["fence", "heading", "hr", "lheading", "list", "newline", "table"]
    walk = _MarkdownWalk(MarkdownIt("zero").enable(rules), _unwrap, guess=True, on_pages=on_pages)
    return _content(walk, decode(content), {})


def read_passage(text: str, **known: str) -> Content:
    """Text of unknown making, such as a line of a corpus: Markdown's marks are understood, its pitfalls avoided."""
    markdown = MarkdownIt("commonmark").enable("table").disable(["code", "lheading", "html_block", "html_inline"])
    return _content(_MarkdownWalk(markdown, _unwrap, guess=True), text, known)


def _front_matter(text: str) -> list[tuple[str, str]]:
    found = []
    for line in text.splitlines():
        name, _, value = line.strip().partition(":")
        if value[:1].isspace() and _FIELD.fullmatch(name := name.rstrip()):
            found.append((name.lower().replace(" ", "_").replace("-", "_"), value.strip().strip("\"'")))
    return found


def _content(walk: _MarkdownWalk, text: str, known: dict[str, str]) -> Content:
    found = walk.read(text).content(title=known.get("title", ""))
    named = {"title", "product", "document_type", "url"}
    return found.model_copy(
        update={
            "product": label(known.get("product", "")),
            "document_type": label(known.get("document_type", "")),
            "url": safe_url(known.get("url", "")),
            "metadata": {key: value for key, value in known.items() if key not in named},
        }
    )


class _MarkdownWalk:
    def __init__(
        self,
        parser: MarkdownIt,
        join_lines: Callable[[list[str]], str],
        *,
        guess: bool,
        on_pages: Progress = unheard,
    ) -> None:
        self._parser = parser
        self._on_pages = on_pages
        self._join_lines = join_lines
        self._guess = guess
        self._outline = Outline()

    def read(self, text: str) -> Outline:
        nodes, titles = self._nodes(text) if len(text) <= PART else self._nodes_of_parts(text)
        first = True
        for node, following in pairwise(chain(nodes, (None,))):
            assert node
            if node.type == "heading":
                alone = titles == 1 and node.tag == "h1"
                self._outline.heading(int(node.tag[1]), self._text(node), title=alone, code=_code([node]))
            elif (
                self._guess
                and following
                and (heading := self._as_heading(node))
                and (first or not self._as_heading(following))
            ):
                self._outline.heading(2, heading, title=not titles and first)
            else:
                self._block(node)
            first = False
        return self._outline

    def _nodes(self, text: str) -> tuple[Iterable[SyntaxTreeNode], int]:
        """The blocks of a text, and how many of them are headings of the first level."""
        nodes = SyntaxTreeNode(self._parser.parse(text)).children
        return nodes, sum(node.type == "heading" and node.tag == "h1" for node in nodes)

    def _nodes_of_parts(self, text: str) -> tuple[Iterable[SyntaxTreeNode], int]:
        """The same of a long text, which is divided and then read."""
        pages = 2 * len(text) // TEXT_PAGE
        parts = in_parts(text, self._parser, lambda read: self._on_pages(read // TEXT_PAGE, pages))
        return self._read_parts(parts, pages), parts.titles

    def _read_parts(self, parts: Parts, pages: int) -> Iterator[SyntaxTreeNode]:
        read = pages // 2
        for part in parts.texts:
            yield from SyntaxTreeNode(self._parser.parse(part, {**parts.known})).children
            read += len(part) // TEXT_PAGE
            self._on_pages(min(read, pages), pages)

    def _as_heading(self, node: SyntaxTreeNode) -> str:
        """The text of a paragraph or one-step list that reads like a heading, otherwise empty."""
        number = ""
        if node.type == "ordered_list" and len(node.children) == 1:
            number = f"{node.attrs.get('start', 1)}. "
            node = node.children[0]
            if len(node.children) != 1:
                return ""
            node = node.children[0]
        text = self._text(node) if node.type == "paragraph" else ""
        plain = "\n" not in text and 0 < len(text) <= 80 and len(text.split()) <= 12
        return number + text if plain and text[0].isupper() and not text.endswith(_SENTENCE_END) else ""

    def _block(self, node: SyntaxTreeNode, *, nested: int = 0) -> None:
        """`nested`: how many lists it stands in."""
        match node.type:
            case "heading":
                self._outline.heading(int(node.tag[1]), self._text(node), code=_code([node]))
            case "paragraph":
                self._outline.add(
                    BlockKind.PROSE, self._text(node), depth=nested, links=_links([node]), code=_code([node])
                )
            case "bullet_list" | "ordered_list":
                counts = node.type == "ordered_list" and not nested
                first = int(str(node.attrs.get("start", 1))) if counts else 0
                for place, item in enumerate(node.children):
                    self._item(item, nested, number=first + place if counts else None)
            case "fence" | "code_block":
                self._outline.add(BlockKind.CODE, node.content, depth=nested)
            case "table":
                rows = [row.children for part in node.children for row in part.children]
                texts = [[self._text(cell) for cell in cells] for cells in rows]
                links, code = [_links(cells) for cells in rows], [_code(cells) for cells in rows]
                self._outline.table(texts, header=True, depth=nested, links=links, code=code)
            case "html_block":
                html.read_into(self._outline, node.content)
            case _:
                for child in node.children:
                    self._block(child, nested=nested)

    def _item(self, item: SyntaxTreeNode, nested: int, *, number: int | None) -> None:
        """The paragraphs that open an item are its text; what else it holds follows it. `number`: of a step."""
        own = 0
        while own < len(item.children) and item.children[own].type == "paragraph":
            own += 1
        text = "\n".join(self._text(child) for child in item.children[:own])
        text = _TASK.sub("", text, count=1) if _TASK.match(text) else text
        kind = BlockKind.ITEM if number is None else BlockKind.STEP
        marked = item.children[:own]
        self._outline.add(kind, text, depth=nested, number=number or 0, links=_links(marked), code=_code(marked))
        for child in item.children[own:]:
            self._block(child, nested=nested + 1)

    def _text(self, node: SyntaxTreeNode) -> str:
        inline = node if node.type == "inline" else next((c for c in node.children if c.type == "inline"), None)
        if inline is None or inline.token is None:
            return ""
        lines = [line.strip() for line in _plain(inline.token.children or []).split("\0")]
        if not self._guess:
            lines = [line for line in lines if line.strip(GAP)]
        return self._join_lines(lines)


def _links(nodes: Sequence[SyntaxTreeNode]) -> list[Link]:
    """Those in the inline content of `nodes`."""
    inline = (child for node in nodes for child in (node, *node.children) if child.type == "inline")
    return [
        Link(text=_plain(_inside(link)).replace("\0", " "), url=str(link.attrs.get("href", "")))
        for holder in inline
        for link in holder.walk()
        if link.type == "link"
    ]


def _code(nodes: Sequence[SyntaxTreeNode]) -> list[str]:
    """The texts of inline code in `nodes`."""
    return [one.content for node in nodes for one in node.walk() if one.type == "code_inline"]


def _inside(link: SyntaxTreeNode) -> list[Token]:
    return [token for child in link.children for token in child.to_tokens()]


def _plain(tokens: list[Token]) -> str:
    """Inline tokens as a reader sees them; a NUL stands where the source broke the line."""
    parts = []
    for token in tokens:
        match token.type:
            case "softbreak":
                parts.append("\0")
            case "hardbreak":
                parts.append("\n")
            case "image":
                parts.append(_plain(token.children or []))
            case "html_inline":
                parts.append("\n" if _BREAK_TAG.fullmatch(token.content) else "")
            case _:
                parts.append(token.content)
    return "".join(parts)


def _unwrap(lines: list[str]) -> str:
    """Join lines that an editor broke; keep the line ends that separate short lines."""
    text = lines[0]
    for before, line in pairwise(lines):
        text += (" " if len(before) >= _WRAPPED or line[:1].islower() else "\n") + line
    return text
