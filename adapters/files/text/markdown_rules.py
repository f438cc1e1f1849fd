"""Additions to Markdown as rules of its parser: those of GitHub, pandoc and Obsidian, and those of MyST."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from adapters.files.parse_errors import catch_parse_errors
from adapters.files.text.site_generators import INTERRUPTED_RULES, line_text, push_paragraph
from adapters.files.text.sphinx import (
    CODE_DIRECTIVES,
    CODE_ROLES,
    HIDDEN_DIRECTIVES,
    MAX_DIRECTIVES,
    NOTE_TITLES,
    VERSION_DIRECTIVES,
    role_text,
    split_directive_options,
)

# --- GitHub, pandoc and Obsidian: notes, terms, tasks, struck and marked words --------------------

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n|]{1,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp[34]|webm|wav|canvas|excalidraw)$", re.IGNORECASE)
_COMMENT = re.compile(r"%%(?:(?!\s)[^\n%]{1,1000}(?<!\s)|[^%]{0,5000})%%")
_MARKED = re.compile(r"==(?=\S)([^=\n]{1,1000}?)(?<=\S)==(?!=)")
_RAISED = re.compile(r"\^([+\-−]?\w{1,12}[+\-−]?)\^(?!\d)")
_LOWERED = re.compile(r"~([+\-−]?\d{1,6}[+\-−]?|[a-z]|max|min)~(?![\d~])")
_FORMULA = re.compile(
    r"\$\$(?P<shown>[^$]{1,4000})\$\$|\$(?=\S)(?P<inline>[^$\n]{1,400}?)(?<=\S)\$(?!\d)"
    r"|\\\((?P<round>.{1,400}?)\\\)|\\\[(?P<square>.{1,4000}?)\\\]",
    re.DOTALL,
)
"""TeX between dollars, or in round or square brackets behind a backslash."""
_WORD = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{2,}")
_GROUP = re.compile(r"\\?[A-Za-z]*\{[^{}]*\}")
_TASK = re.compile(r"\[([ xX])\][ \u00a0]")
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)(?:[^<>]*[^<>/])?(/?)>")
_SWALLOWS = frozenset("title textarea style xmp iframe noembed noframes script plaintext select".split())
"""Tags that hide the text behind them, which GitHub shows as text."""
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_OPTIONAL = frozenset("p li dt dd tr td th thead tbody tfoot option rt rp".split())


def add_markdown_rules(markdown: MarkdownIt) -> MarkdownIt:
    """Add the rules of GitHub, pandoc and Obsidian to `markdown`, and return it."""
    deflist_plugin(markdown)
    footnote_plugin(markdown)
    markdown.block.ruler.before("paragraph", "comment_block", _skip_comment_block, {"alt": ["paragraph", "blockquote"]})
    markdown.inline.ruler.before("escape", "formula", _read_formula)
    markdown.inline.ruler.before("link", "wiki_link", _read_wiki_link)
    markdown.inline.ruler.before("strikethrough", "added_mark", _read_mark)
    markdown.core.ruler.before("footnote_tail", "notes_alone", _keep_uncalled_notes)
    markdown.core.ruler.push("tasks", _write_task_boxes)
    markdown.core.ruler.push("balanced", _balance_html)
    return markdown


def _skip_comment_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Skip the lines between two of `%%`."""
    if line_text(state, start) != "%%":
        return False
    for line in range(start + 1, end):
        if line_text(state, line).endswith("%%"):
            if not silent:
                state.line = line + 1
            return True
    return False


def _read_wiki_link(state: StateInline, silent: bool) -> bool:
    match = _WIKI.match(state.src, state.pos)
    if not match:
        return False
    label = (match[3] or "").strip()
    target = match[2].strip().rstrip("\\")
    if not silent:
        picture = bool(match[1]) and _PICTURE.search(target)
        state.push("text", "", 0).content = "" if picture else label or target.lstrip("#").replace("#", " > ")
    state.pos = match.end()
    return True


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Keep TeX as it is written. A price is no formula."""
    if state.src[state.pos] not in "$\\" or not (match := _FORMULA.match(state.src, state.pos)):
        return False
    text = next(filter(None, match.groups()), "").strip()
    if match["shown"] is None and not _is_formula(text, certain=match["inline"] is None):
        return False
    if not silent:
        state.push("text", "", 0).content = " ".join(text.split())
    state.pos = match.end()
    return True


def _is_formula(text: str, *, certain: bool) -> bool:
    if certain:
        return any(sign in text for sign in "\\^_=")
    plain = _GROUP.sub("", text)
    if re.match(r"[\d.,]+\s+\S", text.replace("\\", "")):
        return False
    return not _WORD.search(plain) or ("=" in text and "^" in text and not re.search(r"[^\W\d_]{4}", plain))


def _read_mark(state: StateInline, silent: bool) -> bool:
    """Read `==marked==`, `10^3^`, `H~2~O` and `%% a comment %%`."""
    mark = state.src[state.pos]
    before = state.src[state.pos - 1 : state.pos]
    if mark == "%" and (match := _COMMENT.match(state.src, state.pos)):
        alone = state.src[match.end() : match.end() + 1] in {"", "\n"} or before in {"", "\n"}
        if not alone and (match[0][2].isspace() or match[0][-3].isspace()):
            return False
        state.pos = match.end()
        return True
    pattern = {"=": _MARKED, "^": _RAISED, "~": _LOWERED}.get(mark)
    if pattern is None or (mark != "=" and not (before.isalnum() or before in {")", "]"})):
        return False
    if not (match := pattern.match(state.src, state.pos)):
        return False
    if silent:
        state.pos = match.end()
        return True
    tag = {"=": "mark", "^": "sup", "~": "sub"}[mark]
    last, state.pos, state.posMax = state.posMax, match.start(1), match.end(1)
    state.push(f"{tag}_open", tag, 1)
    state.md.inline.tokenize(state)
    state.push(f"{tag}_close", tag, -1)
    state.pos, state.posMax = match.end(), last
    return True


def _keep_uncalled_notes(state: StateCore) -> None:
    """Keep notes that nobody calls at their place."""
    called = {name for name, number in state.env.get("footnotes", {}).get("refs", {}).items() if number >= 0}
    called |= state.env.get("called", set())
    alone = False
    for token in state.tokens:
        if token.type == "footnote_reference_open":
            alone = f":{token.meta['label']}" not in called
        if alone and token.type.startswith("footnote_reference"):
            token.type, token.tag = token.type.replace("footnote_reference", "note"), "div"


def _write_task_boxes(state: StateCore) -> None:
    """Turn the mark that opens a task into a box with or without its tick."""
    opened = False
    for token in state.tokens:
        if token.type == "list_item_open":
            opened = True
        elif token.type == "inline" and opened:
            first = token.children[0] if token.children else None
            if first is not None and first.type == "text" and (task := _TASK.match(first.content)):
                first.content = f"{'☐' if task[1] == ' ' else '☑'} {first.content[task.end() :]}"
            opened = False


def _balance_html(state: StateCore) -> None:
    """Close HTML at the end of its block, so that none hides the text behind it. Text behind a block of HTML stands
    apart."""
    for token in state.tokens:
        if token.type == "inline" and token.children and any(child.type == "html_inline" for child in token.children):
            token.children = _close_tags(token.children)
        elif token.type == "html_block":
            inner = [token] if not token.level else _close_tags([token])
            token.content = _close_swallowing_tags("".join(part.content for part in inner)) + "<hr>\n"


def _close_swallowing_tags(html: str) -> str:
    """Return `html` without comments and such tags that continue beyond its end, but for one that it begins with."""
    lower = html.lower()
    if lower.lstrip().startswith("<script"):
        return html.replace("<!--", "")
    for name in _SWALLOWS:
        end = lower.rfind(f"</{name}") + 1
        if lower.rfind(f"<{name}") > end and not lower.lstrip().startswith(f"<{name}"):
            html = html[:end] + re.sub(f"<(?={name})", "&lt;", html[end:], flags=re.IGNORECASE)
            lower = html.lower()
    return f"{html}-->" if lower.rfind("<!--") > lower.rfind("-->") else html


def _close_tags(tokens: list[Token]) -> list[Token]:
    opened: list[str] = []
    balanced: list[Token] = []
    for token in tokens:
        tags = (
            [(tag[1], tag[2].lower(), tag[3]) for tag in _TAG.finditer(token.content)] if "html" in token.type else []
        )
        if token.type == "html_inline" and tags and tags[0][1] in _SWALLOWS:
            balanced.append(Token("text", "", 0, content=token.content))
            continue
        extra = False
        for closing, name, empty in tags:
            if closing and name in opened:
                while opened.pop() != name:
                    pass
            elif closing:
                extra = token.type == "html_inline"
            elif not empty and name not in _VOID:
                opened.append(name)
        if not extra:
            balanced.append(token)
    rest = "".join(f"</{name}>" for name in reversed(opened) if name not in _OPTIONAL)
    return [*balanced, Token("html_inline", "", 0, content=rest)] if rest else balanced


# --- MyST: directives and roles of Sphinx, names of places, comments ------------------------------

_DIRECTIVE = re.compile(r"(`{3,}|~{3,})\{([\w:.+-]+)\}[ \t]*(.*)")
_ROLE = re.compile(r"\{([\w:.+-]{1,80})\}(`{1,3})(?!`)([^`]{1,2000}?)\2(?!`)")
_PLACE = re.compile(r"\([\w.:/ -]{1,100}\)=")
_RST = frozenset("eval-rst list-table csv-table glossary".split())
"""Directives whose text is reStructuredText, or is written alike."""
_FILES = frozenset("figure image video iframe embed card-carousel".split())
"""Directives with an address behind their name."""


def add_myst_rules(markdown: MarkdownIt) -> MarkdownIt:
    """Add the rules of MyST to `markdown`, and return it."""
    markdown.block.ruler.before("fence", "myst_directive", _read_directive, {"alt": INTERRUPTED_RULES})
    markdown.block.ruler.before("paragraph", "myst_line", _skip_myst_line, {"alt": INTERRUPTED_RULES})
    markdown.inline.ruler.before("backticks", "myst_role", _read_role)
    return markdown


def _skip_myst_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Skip the name of a place, or a comment in a file that has directives."""
    text = line_text(state, start)
    if text.startswith("%") and "myst" not in state.env:
        state.env["myst"] = "```{" in state.src or ":::{" in state.src
    if not _PLACE.fullmatch(text) and not (text.startswith("%") and state.env["myst"]):
        return False
    if not silent:
        state.line = start + 1
    return True


def _read_directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    opened = None if state.is_code_block(start) else _DIRECTIVE.fullmatch(line_text(state, start))
    if opened is None or silent or state.level >= MAX_DIRECTIVES:
        return opened is not None and silent
    fence, name, argument = opened[1], opened[2].lower(), opened[3].strip()
    after = start + 1
    while after < end and not (
        line_text(state, after).startswith(fence) and not line_text(state, after).strip(fence[0])
    ):
        after += 1
    text = state.getLines(start + 1, after, state.sCount[start], False)
    options, lines = split_directive_options(text)
    first = after - len(lines) if text else after
    state.line = min(after + 1, end)
    if name in HIDDEN_DIRECTIVES:
        return True
    if name in CODE_DIRECTIVES or name == "code-cell":
        push_paragraph(state, options.get("caption", ""), start)
        state.push("fence", "code", 0).content = "\n".join(lines) + "\n"
    elif name == "math":
        push_paragraph(state, " ".join([argument, *lines]).strip(), start)
    elif name in _RST and (html := _render_rst(name, argument, text)):
        state.push("html_block", "", 0).content = html
    else:
        title = (
            VERSION_DIRECTIVES[name].format(argument)
            if name in VERSION_DIRECTIVES
            else argument or NOTE_TITLES.get(name, "")
        )
        push_paragraph(state, "" if name in _FILES else title, start)
        last, state.lineMax, state.level = state.lineMax, after, state.level + 1
        state.md.block.tokenize(state, first, after)
        state.line, state.lineMax, state.level = min(after + 1, end), last, state.level - 1
    return True


def _render_rst(name: str, argument: str, text: str) -> str:
    from adapters.files.text.rst import rst_to_html

    inner = "\n".join(f"   {line}" for line in text.split("\n"))
    with catch_parse_errors(lambda _: None):  # then it is read as Markdown
        return rst_to_html(text if name == "eval-rst" else f".. {name}:: {argument}\n{inner}\n")
    return ""


def _read_role(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{" or not (match := _ROLE.match(state.src, state.pos)):
        return False
    name = match[1].rpartition(":")[2].lower()
    if not silent:
        if name in {"sub", "sup"}:
            state.push(f"{name}_open", name, 1)
            state.push("text", "", 0).content = match[3]
            state.push(f"{name}_close", name, -1)
        else:
            kind = ("code_inline", "code") if name in CODE_ROLES else ("text", "")
            state.push(*kind, 0).content = match[3].strip() if name == "math" else role_text(match[3])
    state.pos = match.end()
    return True
