"""Markdown as blocks; plain text too, as Markdown without its inline marks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from adapters.files.content import (
    TEXT_PAGE_SIZE,
    OutlineBuilder,
    ParsedFile,
    ProgressCallback,
    clean_label,
    ignore_progress,
    safe_url,
)
from adapters.files.decode import decode_text
from adapters.files.html.reader import append_html
from adapters.files.text.markdown_rules import add_markdown_rules, add_myst_rules
from adapters.files.text.site_generators import add_generator_rules
from pipeline.values import replace

# --- A long text in parts, so that no more of it is in memory than one of them --------------------

PART_SIZE = 500_000
"""Characters of a part, or more where one block has more: 50 to 400 MB while it is read. Dividing takes as long as
reading, so nothing shorter is divided."""
_CALL = re.compile(r"\[\^([^\]\s]{1,200})\](?!:)")


@dataclass
class MarkdownParts:
    """The parts of a text, with the facts about all of them that each needs to be read as in the whole."""

    texts: list[str] = field(default_factory=list)
    parser_env: dict[str, Any] = field(default_factory=dict)
    """Environment of the parser: the addresses of links that are written apart from them."""
    title_count: int = 0
    """Number of headings of the first level that are in no other block."""


def split_markdown(text: str, parser: MarkdownIt, on_read: Callable[[int], None]) -> MarkdownParts:
    """Split a text before blocks into which nothing before them continues. `on_read` is called with the number of
    characters examined."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = MarkdownParts()
    notes: dict[str, tuple[int, str]] = {}
    start, size = 0, PART_SIZE
    while start < len(text):
        end = text.find("\n", start + size) + 1 or len(text)
        tokens: list[Token] = []
        parser.block.parse(text[start:end], parser, parts.parser_env, tokens)
        on_read(end)
        lines = text[start:end].split("\n")
        last = len(lines) if end == len(text) else _last_block_line(tokens, lines)
        if not last:
            size *= 2
            continue
        own = [token for token in tokens if token.map is not None and token.map[0] < last]
        parts.title_count += sum(map(is_title_token, own))
        for token in own:
            if token.type == "footnote_reference_open" and token.map:
                notes.setdefault(token.meta["label"], (len(parts.texts), "\n".join(lines[slice(*token.map)])))
        parts.texts.append("".join(f"{line}\n" for line in lines[:last]))
        start += len(parts.texts[-1])
    parts.parser_env.pop("footnotes", None)
    parts.parser_env["called"] = {f":{name}" for text in parts.texts for name in _CALL.findall(text)}
    parts.texts = [_add_notes(part, index, notes) for index, part in enumerate(parts.texts)] if notes else parts.texts
    return parts


def is_title_token(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h1" and token.level == 0


def _add_notes(part: str, index: int, notes: Mapping[str, tuple[int, str]]) -> str:
    """Return a part with the notes that it calls and that stand in another."""
    called = dict.fromkeys(_CALL.findall(part))
    elsewhere = [notes[name][1] for name in called if name in notes and notes[name][0] != index]
    return "\n\n".join([part, *elsewhere])


def _last_block_line(tokens: Sequence[Token], lines: Sequence[str]) -> int:
    """Return the line on which the last block begins that stands in no other and is not indented: a note's would be."""
    starts = (token.map[0] for token in reversed(tokens) if token.map and token.level == 0)
    return next((line for line in starts if not lines[line][:1].isspace()), 0)


# --- Blocks ---------------------------------------------------------------------------------------

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\r?\n(.*?)\r?\n\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_COMPONENTS = re.compile(r"^[ \t]*(?:<[A-Z]\w*(?:\s[^<>]*)?>|import .{1,200} from ['\"])", re.MULTILINE)
"""Signs of MDX, in which indented text is no code."""
_FIELD = re.compile(r"[A-Za-z][\w -]*")
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")
_WRAPPED = 50
"""Length from which a line was probably broken by an editor, not by its author."""
_BATCH_SIZE = 5_000
"""Tokens of a text that are turned into blocks at a time."""


def read_markdown(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read CommonMark with the additions of GitHub, pandoc and Obsidian, and a front matter of `title`, `product`,
    `document_type`, `url` and others."""
    text = decode_text(content)
    metadata: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        metadata = dict(_parse_front_matter(front.group(1)))
        text = text[front.end() :]
    elif front := _TOML.match(text):
        with suppress(tomllib.TOMLDecodeError):
            metadata = {key.lower(): str(value) for key, value in tomllib.loads(front.group(1)).items()}
        text = text[front.end() :]
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    if _COMPONENTS.search(text):
        markdown.disable("code")
    add_markdown_rules(add_myst_rules(add_generator_rules(markdown)))
    return _build_file(_MarkdownReader(markdown, on_pages=on_pages), text, metadata)


def read_text(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read paragraphs, lists and headings as people write them in plain text. Every character stays."""
    rules = ["fence", "heading", "hr", "lheading", "list", "newline", "table"]
    return _build_file(
        _MarkdownReader(MarkdownIt("zero").enable(rules), guess=True, on_pages=on_pages), decode_text(content), {}
    )


def read_lenient_markdown(text: str, **metadata: str) -> ParsedFile:
    """Read text of unknown origin, such as a line of a corpus: Markdown's marks are understood, its pitfalls
    avoided."""
    markdown = MarkdownIt("commonmark").enable("table").disable(["code", "lheading", "html_block", "html_inline"])
    return _build_file(_MarkdownReader(markdown, guess=True), text, metadata)


def _parse_front_matter(text: str) -> list[tuple[str, str]]:
    fields = []
    for line in text.splitlines():
        name, _, value = line.strip().partition(":")
        if value[:1].isspace() and _FIELD.fullmatch(name := name.rstrip()):
            fields.append((name.lower().replace(" ", "_").replace("-", "_"), value.strip().strip("\"'")))
    return fields


def _build_file(reading: _MarkdownReader, text: str, metadata: dict[str, str]) -> ParsedFile:
    content = reading.read_outline(text).build(title=metadata.get("title", ""))
    own_fields = {"title", "product", "document_type", "url"}
    return replace(
        content,
        product=clean_label(metadata.get("product", "")),
        document_type=clean_label(metadata.get("document_type", "")),
        url=safe_url(metadata.get("url", "")),
        metadata={key: value for key, value in metadata.items() if key not in own_fields},
    )


class _MarkdownReader:
    """Markdown as HTML, a part at a time, and then as blocks. With `guess`, paragraphs that look like headings are
    headings."""

    def __init__(
        self, parser: MarkdownIt, *, guess: bool = False, on_pages: ProgressCallback = ignore_progress
    ) -> None:
        self._parser = parser
        self._on_pages = on_pages
        self._guess = guess
        self._outline = OutlineBuilder()

    def read_outline(self, text: str) -> OutlineBuilder:
        if len(text) <= PART_SIZE:
            env: dict[str, Any] = {}
            tokens = self._parser.parse(text, env)
            token_groups, titles = iter([(tokens, env)]), sum(map(is_title_token, tokens))
        else:
            pages = 2 * len(text) // TEXT_PAGE_SIZE
            parts = split_markdown(text, self._parser, lambda read: self._on_pages(read // TEXT_PAGE_SIZE, pages))
            token_groups, titles = self._parse_parts(parts, pages), parts.title_count
        titled = titles == 1
        if self._guess:
            token_groups, titled = _guess_headings(token_groups, titles=titles), titles < 2
        for tokens, env in token_groups:
            append_html(self._outline, self._parser.renderer.render(tokens, self._parser.options, env), titled=titled)
        return self._outline

    def _parse_parts(self, parts: MarkdownParts, pages: int) -> Iterator[tuple[list[Token], dict[str, Any]]]:
        read = pages // 2
        for part in parts.texts:
            env = {**parts.parser_env}
            yield self._parser.parse(part, env), env
            read += len(part) // TEXT_PAGE_SIZE
            self._on_pages(min(read, pages), pages)


def _guess_headings(
    token_groups: Iterable[tuple[list[Token], dict[str, Any]]], *, titles: int
) -> Iterator[tuple[list[Token], dict[str, Any]]]:
    """Turn paragraphs that read like headings into headings, and join lines that an editor broke."""
    nodes = (node for tokens, _ in token_groups for node in SyntaxTreeNode(tokens).children)
    made: list[Token] = []
    first = True
    for node, following in pairwise(chain(nodes, (None,))):
        assert node
        heading = _heading_text(node) if following and node.type != "heading" else ""
        if heading and following and (first or not _heading_text(following)):
            made += _heading_tokens("h2" if titles or not first else "h1", heading)
        else:
            made += map(_unwrap_lines, node.to_tokens())
        first = False
        if len(made) >= _BATCH_SIZE:
            yield made, {}
            made = []
    yield made, {}


def _heading_tokens(tag: str, text: str) -> list[Token]:
    inner = Token("text", "", 0, content=text)
    return [Token("heading_open", tag, 1), Token("inline", "", 0, children=[inner]), Token("heading_close", tag, -1)]


def _heading_text(node: SyntaxTreeNode) -> str:
    """Return the text of a paragraph or one-step list that reads like a heading, otherwise an empty text."""
    number = ""
    if node.type == "ordered_list" and len(node.children) == 1:
        number = f"{node.attrs.get('start', 1)}. "
        node = node.children[0]
        if len(node.children) != 1:
            return ""
        node = node.children[0]
    inline = node.children[0].token if node.type == "paragraph" and node.children else None
    lines = _split_lines(inline.children or [])[0] if inline else []
    text = lines[0] if len(lines) == 1 else ""
    plain = 0 < len(text) <= 80 and len(text.split()) <= 12
    return number + text if plain and text[0].isupper() and not text.endswith(_SENTENCE_END) else ""


def _unwrap_lines(token: Token) -> Token:
    """Join lines that an editor broke. The line ends that separate short lines stay."""
    if token.type == "inline" and token.children and any(child.type == "softbreak" for child in token.children):
        lines, breaks = _split_lines(token.children, joined=False)
        for at, (before, line) in zip(breaks, pairwise(lines), strict=True):
            if len(before) < _WRAPPED and not line[:1].islower():
                token.children[at] = Token("hardbreak", "br", 0)
    return token


def _split_lines(children: list[Token], *, joined: bool = True) -> tuple[list[str], list[int]]:
    """Return the lines of a paragraph, and the parts of it that end one. With `joined`, lines that an editor broke are
    one."""
    texts: list[str] = [""]
    breaks: list[int] = []
    for index, child in enumerate(children):
        if child.type == "softbreak":
            breaks.append(index)
            texts.append("")
        else:
            texts[-1] += "\n" if child.type == "hardbreak" else child.content
    texts = [text.strip() for text in texts]
    if not joined:
        return texts, breaks
    joined_lines = texts[:1]
    for before, line in pairwise(texts):
        if len(before) >= _WRAPPED or line[:1].islower():
            joined_lines[-1] += f" {line}"
        else:
            joined_lines.append(line)
    return joined_lines, breaks
