"""What MyST adds to Markdown, as rules of its parser: directives and roles of Sphinx, names of places, comments."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from adapters.files.damaged import damaged
from adapters.files.text.generators import ENDS, current, say
from adapters.files.text.sphinx import AS_CODE, CODE, MAX_DIRECTIVES, NOTES, UNSEEN, VERSIONS, divided, words_of

_DIRECTIVE = re.compile(r"(`{3,}|~{3,})\{([\w:.+-]+)\}[ \t]*(.*)")
_ROLE = re.compile(r"\{([\w:.+-]{1,80})\}(`{1,3})(?!`)([^`]{1,2000}?)\2(?!`)")
_PLACE = re.compile(r"\([\w.:/ -]{1,100}\)=")
_RST = frozenset("eval-rst list-table csv-table glossary".split())
"""Directives whose text is reStructuredText, or is written alike."""
_FILES = frozenset("figure image video iframe embed card-carousel".split())
"""Directives with an address behind their name."""


def with_myst(markdown: MarkdownIt) -> MarkdownIt:
    """`markdown` with these rules."""
    markdown.block.ruler.before("fence", "myst_directive", _directive, {"alt": ENDS})
    markdown.block.ruler.before("paragraph", "myst_line", _line, {"alt": ENDS})
    markdown.inline.ruler.before("backticks", "myst_role", _role)
    return markdown


def _line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The name of a place, or a comment in a file that has directives."""
    text = current(state, start)
    if text.startswith("%") and "myst" not in state.env:
        state.env["myst"] = "```{" in state.src or ":::{" in state.src
    if not _PLACE.fullmatch(text) and not (text.startswith("%") and state.env["myst"]):
        return False
    if not silent:
        state.line = start + 1
    return True


def _directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    opened = None if state.is_code_block(start) else _DIRECTIVE.fullmatch(current(state, start))
    if opened is None or silent or state.level >= MAX_DIRECTIVES:
        return opened is not None and silent
    fence, name, argument = opened[1], opened[2].lower(), opened[3].strip()
    after = start + 1
    while after < end and not (current(state, after).startswith(fence) and not current(state, after).strip(fence[0])):
        after += 1
    text = state.getLines(start + 1, after, state.sCount[start], False)
    options, lines = divided(text)
    first = after - len(lines) if text else after
    state.line = min(after + 1, end)
    if name in UNSEEN:
        return True
    if name in CODE or name == "code-cell":
        say(state, options.get("caption", ""), start)
        state.push("fence", "code", 0).content = "\n".join(lines) + "\n"
    elif name == "math":
        say(state, " ".join([argument, *lines]).strip(), start)
    elif name in _RST and (html := _of_rst(name, argument, text)):
        state.push("html_block", "", 0).content = html
    else:
        title = VERSIONS[name].format(argument) if name in VERSIONS else argument or NOTES.get(name, "")
        say(state, "" if name in _FILES else title, start)
        last, state.lineMax, state.level = state.lineMax, after, state.level + 1
        state.md.block.tokenize(state, first, after)
        state.line, state.lineMax, state.level = min(after + 1, end), last, state.level - 1
    return True


def _of_rst(name: str, argument: str, text: str) -> str:
    from adapters.files.text.rst import to_html

    inner = "\n".join(f"   {line}" for line in text.split("\n"))
    with damaged(lambda _: None):  # then it is read as Markdown
        return to_html(text if name == "eval-rst" else f".. {name}:: {argument}\n{inner}\n")
    return ""


def _role(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{" or not (found := _ROLE.match(state.src, state.pos)):
        return False
    name = found[1].rpartition(":")[2].lower()
    if not silent:
        if name in {"sub", "sup"}:
            state.push(f"{name}_open", name, 1)
            state.push("text", "", 0).content = found[3]
            state.push(f"{name}_close", name, -1)
        else:
            kind = ("code_inline", "code") if name in AS_CODE else ("text", "")
            state.push(*kind, 0).content = found[3].strip() if name == "math" else words_of(found[3])
    state.pos = found.end()
    return True
