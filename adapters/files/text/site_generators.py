"""Marks that site generators read in Markdown and readers never see: templates, shortcodes, components, the lines that
open and close a note. They are rules of the Markdown parser, so that code keeps every character.

Liquid (Jekyll, GitHub Docs), Jinja (MkDocs), Hugo, Docusaurus and VitePress, MDX, GitHub's alerts.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from adapters.files.text.sphinx import NOTE_TITLES

_LINES = 30
"""Lines that a mark may have."""
VALUE_PLACEHOLDER = "…"
"""Placeholder for a value that the generator would have filled in."""
_VALUE = re.compile(r"\{\{[^{}<%]*\}\}|\{%-?\s*data\b[^{}]*%\}")
_INSIDE = ".{0,1000}?"
_TAG = re.compile(
    rf"\{{%{_INSIDE}%\}}|\{{\{{{_INSIDE}\}}\}}|\{{#{_INSIDE}#\}}|\{{/\*{_INSIDE}\*/\}}|\{{:?\s*[#.:][^{{}}]{{0,200}}\}}"
    r"|(?<=[)\]`])\{ ?[\w-]{1,30}=[^{}]{0,200}\}",
    re.DOTALL,
)
"""Tag of a template language: Liquid, Jinja, Hugo, MDX, or attributes of kramdown behind a link or code."""
_LINKED = re.compile(r"\]\([^()\n]{0,300}?\{[{%][^()\n]{0,300}?\}[^()\n]{0,300}?\)")
_ATTRIBUTE = r"""(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[^<>"'{}])"""
_COMPONENT = re.compile(rf"</?[A-Z][\w.]*(?:\s{_ATTRIBUTE}*)?/?>|</?>")
_ALERT = re.compile(r"\[!(\w+)\][-+]?[ \t]*([^\n]*)\n?")
_CODE_NAME = re.compile(r"""\btitle=["']([^"'`]{1,200})["']|\s\[([^\[\]]{1,80})\]""")
_CONTAINER = re.compile(r":{3,}[ \t]*\{?\.?([\w-]*)(?: [.#][^{}]*)?\}?[ \t]*(.*)")
_INDENTED = re.compile(r"""(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+([\w ]*?)[ \t]*(?:"([^"]*)")?[ \t]*(?:\{[^{}]*\})?""")
_MODULE = re.compile(
    r"import\s+(?:[\w*{][^'\"]*\sfrom\s+)?['\"][^'\"]+['\"];?\s*|import\s*\{\s*"
    r"|export\s+(?:default\s|\{|(?:const|let|var|function|async|class)\s+\w+\s*[=({]).*"
)
"""Line of JavaScript in MDX that imports or exports."""
_DIRECTIVE = re.compile(
    r"\[TOC\]|\[\[_?toc_?\]\]|\$\{toc\}|--8<--.*|<<<\s*@?[/.].*|\+\+\+.*|/{3,}(?: .*)?", re.IGNORECASE
)
"""Line with a directive of a generator: a table of contents, an included file, a block."""
_TITLED = re.compile(
    r"""[{<%\s]*(?:Tab|Card|Step|Accordion|Expand|Details|Alert|Hint|Callout|Note|Admonition|Panel|Update|Collapse|Figure|Aside|ParamField|ResponseField)"""
    r"""\w*\s(?:[^{}]*?\b(?:title|label|header|name|summary|path)=)?["']([^"']{1,200})["']""",
    re.IGNORECASE,
)
"""Opening of a tab, a card or a note with a name."""
_NOTED = re.compile(
    r"""[{<%\s]*(?:(?:hint|notice|callout|alert|admonition|aside)\b[^{}]*?\b)?"""
    r"""(note|tip|hint|info|important|warning|caution|danger)\b["'\s%}>]""",
    re.IGNORECASE,
)
"""Opening of a note without a name."""
_CRITIC = re.compile(
    r"\{(?:(?:\+\+|\+ |==|~~[^{}\n]{0,500}?~>)([^{}\n]{1,1000}?)(?:\+\+|\+| \+|==|~~)|(?:--|- |>>)[^{}\n]{1,1000}?)\}"
)
"""Insertions and deletions in CriticMarkup and GitLab."""
_AUTOTITLE = "AUTOTITLE"
INTERRUPTED_RULES = ["paragraph", "reference", "blockquote", "list"]
"""Rules whose text such a line ends."""


def add_generator_rules(markdown: MarkdownIt) -> MarkdownIt:
    """Add rules to `markdown` that read the marks of site generators and leave them out. Return it."""
    markdown.block.ruler.before("code", "generator_note", _read_note, {"alt": INTERRUPTED_RULES})
    markdown.block.ruler.before("html_block", "generator_line", _read_marker_line, {"alt": INTERRUPTED_RULES})
    markdown.core.ruler.before("inline", "generator_link", _clear_template_links)
    markdown.core.ruler.after("inline", "generator_title", _fill_in_titles)
    markdown.core.ruler.after("generator_title", "generator_gap", _remove_value_lines)
    markdown.core.ruler.after("block", "generator_code", _title_code)
    markdown.inline.ruler.before("escape", "generator_tag", _read_tag)
    return markdown


def line_text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _read_marker_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line that is nothing but a mark: the edge of a container, a component's tag, an import, a directive."""
    if state.is_code_block(start):
        return False
    text = line_text(state, start)
    title = ""
    after = start + 1
    if container := _CONTAINER.fullmatch(text):
        title = container.group(2).strip("[]{} ") or NOTE_TITLES.get(container.group(1).lower(), "")
    elif _MODULE.fullmatch(text):
        while after < end and not state.isEmpty(after):
            after += 1
    elif text.startswith(("<", "{")):
        titled, noted = _TITLED.match(text), _NOTED.match(text)
        title = titled[1] if titled else NOTE_TITLES[noted[1].lower()] if noted else ""
        while not _is_only_marks(text) and after < min(end, start + _LINES) and not state.isEmpty(after):
            text += "\n" + line_text(state, after)
            after += 1
        if not _is_only_marks(text):
            return False
    elif not _DIRECTIVE.fullmatch(text):
        return False
    if not silent:
        state.line = after
        push_paragraph(state, title, start)
    return True


def _is_only_marks(text: str) -> bool:
    if text.startswith("<"):
        return bool(_COMPONENT.fullmatch(text))
    position = 0
    while match := _TAG.match(text, position):
        position = match.end()
        while text[position : position + 1].isspace():
            position += 1
    return position == len(text)


def _read_note(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a note or tab of Python-Markdown: its title, and the text indented below it."""
    if state.is_code_block(start) or not (match := _INDENTED.fullmatch(line_text(state, start))):
        return False
    inner = state.sCount[start] + 4
    after = start + 1
    while after < end and state.isEmpty(after):
        after += 1
    if after == end or state.sCount[after] < inner:
        return False
    if silent:
        return True
    while after < end and (state.isEmpty(after) or state.sCount[after] >= inner):
        after += 1
    push_paragraph(state, match.group(2) or NOTE_TITLES.get(match.group(1).partition(" ")[0].lower(), ""), start)
    indent, last = state.blkIndent, state.lineMax
    state.blkIndent, state.lineMax = inner, after
    state.md.block.tokenize(state, start + 1, after)
    state.blkIndent, state.lineMax, state.line = indent, last, after
    return True


def push_paragraph(state: StateBlock, title: str, line: int) -> None:
    """Push `title` as a paragraph. The title of a note ends in a colon."""
    if title:
        title = f"{title}:" if title in NOTE_TITLES.values() else title
        state.push("paragraph_open", "p", 1).map = [line, line + 1]
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = title, [line, line + 1], []
        state.push("paragraph_close", "p", -1)


def _read_tag(state: StateInline, silent: bool) -> bool:
    """Read a template, a component's tag or an alert's mark within a text."""
    first = state.src[state.pos]
    content = ""
    if first == "{" and (match := _CRITIC.match(state.src, state.pos)):
        content = match[1] or ""
    elif first == "{" and not state.src.startswith("$", state.pos - 1):
        match = _TAG.match(state.src, state.pos)
        content = VALUE_PLACEHOLDER if _VALUE.match(state.src, state.pos) else ""
    elif first == "<":
        match = _COMPONENT.match(state.src, state.pos)
    else:
        match = _ALERT.match(state.src) if first == "[" and state.pos == 0 else None
        content = f"{match[1].capitalize()}: {match[2]}" if match else ""
    if not match:
        return False
    if not silent and content:
        state.push("text", "", 0).content = content
        if match.re is _ALERT and match[2]:
            state.push("hardbreak", "br", 0)
    state.pos = match.end()
    return True


def _title_code(state: StateCore) -> None:
    """Put the name of a file or of a tab over its code."""
    made: list[Token] = []
    for token in state.tokens:
        if token.type == "fence" and (name := _CODE_NAME.search(token.info)):
            title = Token("inline", "", 0, content=name[1] or name[2], children=[], level=token.level, map=token.map)
            opened, closed = Token("paragraph_open", "p", 1, map=token.map), Token("paragraph_close", "p", -1)
            opened.level = closed.level = token.level
            made += [opened, title, closed]
        made.append(token)
    state.tokens = made


def _clear_template_links(state: StateCore) -> None:
    """Keep links whose address is a template as links to nowhere."""
    for token in state.tokens:
        if token.type == "inline" and "](" in token.content and "{" in token.content:
            token.content = _LINKED.sub("](#)", token.content)


def _fill_in_titles(state: StateCore) -> None:
    """Fill in a title that the generator takes from the linked page: here from its address."""
    for token in state.tokens:
        address = ""
        for child in token.children or []:
            if child.type == "link_open":
                address = str(child.attrs.get("href", ""))
            elif child.type == "text" and child.content.strip() == _AUTOTITLE:
                path = address.partition("#")[0].rstrip("/")
                child.content = path.rpartition("/")[2].replace("-", " ") or VALUE_PLACEHOLDER


def _remove_value_lines(state: StateCore) -> None:
    """Remove lines that are nothing but a value that the generator would have filled in."""
    for token in state.tokens:
        if token.type != "inline" or not any(VALUE_PLACEHOLDER in child.content for child in token.children or []):
            continue
        lines: list[list[Token]] = [[]]
        for child in token.children or []:
            if child.type == "softbreak":
                lines.append([])
            lines[-1].append(child)
        kept_lines = [
            line
            for line in lines
            if any(child.content.strip(VALUE_PLACEHOLDER + " ") or child.children for child in line)
        ]
        token.children = [child for line in kept_lines for child in line]
