"""Directives and roles of reStructuredText that only Sphinx and its extensions know, as the text that they show."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

MAX_DIRECTIVES = 8
"""Nested directives that are read; deeper ones are text."""
_MAX_NAMES = 2_000
_DIRECTIVE = re.compile(
    r"^[ \t]*(?:[-*+>|][ \t]+)*\.\.[ ]+(?:\|[^|\n]{1,100}\|[ ]+)?([\w:+.-]+)::(?=\s|$)", re.MULTILINE
)
"""Name of a directive at the start of a line, also in a list, a quotation or a substitution."""
_ROLE = re.compile(r"(?<![\w:+.-]):((?:[\w+.-]++:)++)`|`:((?:[\w+.-]++:)++)")
"""Role name from the beginning of its run of letters, so that each run is scanned once."""
_FIRST = re.compile(r"\.\. [^\n]*?::[ \t]*([^\n]*)\n?")
_OPTION = re.compile(r":([\w-]+):(?:[ \t]+(.*))?$")
_TITLED = re.compile(r"(.*?)\s*<[^<>]{0,1000}>\Z", re.DOTALL)

CODE_DIRECTIVES = frozenset(
    "code-block sourcecode code prompt testcode testoutput ipython productionlist parsed-code".split()
)
HANDLED_DIRECTIVES = CODE_DIRECTIVES | {"math", "toctree", "note-list", "glossary"}
"""Directives read here although docutils may know them: with the options that Sphinx adds."""
HIDDEN_DIRECTIVES = frozenset(
    """toctree index highlight currentmodule module py:module py:currentmodule program literalinclude include todolist
    tabularcolumns graphviz digraph graph mermaid uml plantuml inheritance-diagram testsetup testcleanup default-domain
    autosummary meta sphinx_argparse_cli""".split()
)
VERSION_DIRECTIVES = {
    "versionadded": "New in version {}",
    "versionchanged": "Changed in version {}",
    "deprecated": "Deprecated since version {}",
    "versionremoved": "Removed in version {}",
    "deprecated-removed": "Deprecated since version {}",
}
NOTE_TITLES = {"seealso": "See also", "todo": "Todo", "see-also": "See also"}
NOTE_TITLES |= {kind: kind.capitalize() for kind in "note tip hint info important warning caution danger error".split()}
"""Titles of notes that have none."""
_TABS = frozenset({"tab", "tab-item", "group-tab", "code-tab"})
_TITLES = frozenset("dropdown card grid-item-card collapse details toggle centered".split())
_OBJECTS = frozenset(
    """function class method attribute data exception option envvar confval cmdoption describe object decorator property
    staticmethod classmethod macro type var member setting""".split()
)
CODE_ROLES = frozenset(
    """func meth class mod attr data exc obj const code file samp kbd option envvar program command makevar regexp
    cpp c py js rst""".split()
)


_SHOWN_OPTIONS = frozenset({"type", "default", "value"})
"""Options of objects that are shown."""


_NAMED_KINDS = frozenset("class exception get post put patch delete".split())
"""Kinds of objects that stand before their names."""
_TRUE_CONDITIONS = re.compile(r"html|not\b")
"""Conditions that hold for a page."""


class _AnyOption(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return lambda value: value


class SphinxDirective(Directive):
    """Any such directive, read by its name."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption({"name": lambda value: value})

    def run(self) -> Sequence[nodes.Node]:
        name = self.name.lower()
        text = self.block_text
        first = _FIRST.match(text.lstrip())
        argument = first[1].strip() if first else ""
        options, lines = split_directive_options(text.lstrip()[first.end() :] if first else "")
        if name in CODE_DIRECTIVES or name == "code-tab":
            title = f"{argument.partition(' ')[2] or argument}:" if name == "code-tab" else options.get("caption", "")
            return [*self._paragraph(title), nodes.literal_block("", "\n".join(lines))]
        if name == "math":
            return [nodes.math_block("", "\n".join([argument, *lines]).strip())]
        if name in HIDDEN_DIRECTIVES or (name == "only" and not _TRUE_CONDITIONS.search(argument)):
            return []
        if name in VERSION_DIRECTIVES:
            version, _, more = argument.partition(" ")
            if not more and not any(lines):
                return self._paragraph(f"{VERSION_DIRECTIVES[name].format(version)}.")
            return [self._admonition(VERSION_DIRECTIVES[name].format(version), [more, *lines])]
        if name == "glossary":
            return self._parse_lines(_split_terms(lines))
        if name in NOTE_TITLES:
            return [self._admonition(NOTE_TITLES[name], [argument, *lines])]
        if name in _TABS or name in _TITLES:
            heading = f"{argument}:" if name in _TABS and argument else argument
            return [*self._paragraph(heading), *self._parse_lines(lines)]
        if argument and (name in _OBJECTS or ":" in name or name.startswith("auto")):
            kind = name.rpartition(":")[2]
            term = nodes.term("", "", nodes.literal("", f"{kind} {argument}" if kind in _NAMED_KINDS else argument))
            fields = [
                f":{key.capitalize()}: {value}" for key, value in options.items() if key in _SHOWN_OPTIONS and value
            ]
            definition = nodes.definition("", *self._parse_lines([*fields, "", *lines]))
            return [nodes.definition_list("", nodes.definition_list_item("", term, definition))]
        return [*self._paragraph(argument if " " in argument else ""), *self._parse_lines(lines)]

    def _paragraph(self, text: str) -> list[nodes.Node]:
        if not text:
            return []
        inline_nodes, messages = self.state.inline_text(text, self.lineno)
        return [nodes.paragraph(text, "", *inline_nodes), *messages]

    def _admonition(self, title: str, lines: list[str]) -> nodes.Node:
        return nodes.admonition("", nodes.title("", title), *self._parse_lines(lines), classes=["admonition"])

    def _parse_lines(self, lines: list[str]) -> list[nodes.Node]:
        holder = nodes.container()
        document: Any = self.state.document
        within = getattr(document, "within", 0)
        if within >= MAX_DIRECTIVES:
            return [nodes.paragraph("", strip_directive_options("\n".join(lines)))]
        document.within = within + 1
        self.state.nested_parse(StringList(lines, source=""), self.content_offset, holder, match_titles=False)
        document.within = within
        return holder.children


def render_role(
    name: str, raw: str, text: str, line: int, inliner: object, options: Any = None, content: Any = None
) -> tuple[list[Any], list[Any]]:
    """Render a role as its title, else its target."""
    shown_text = role_text(text.replace("\x00", "\\"))
    if name in {"guilabel", "menuselection"}:
        shown_text = shown_text.replace("-->", "‣").replace("&", "")
    kind = (
        nodes.literal if name.rpartition(":")[2] in CODE_ROLES or name.partition(":")[0] in CODE_ROLES else nodes.inline
    )
    return [kind(raw, shown_text)], []


def role_text(role: str) -> str:
    """Return the visible part of a role's text."""
    titled = _TITLED.match(role)
    if titled and titled[1]:
        return titled[1].lstrip("!")
    return (role.rpartition(".")[2].lstrip("~") if role.startswith("~") else role).lstrip("!")


def directive_names(text: str) -> list[str]:
    return list(dict.fromkeys(name.lower() for name in _DIRECTIVE.findall(text)))[:_MAX_NAMES]


def role_names(text: str) -> list[str]:
    names = (before or behind for before, behind in _ROLE.findall(text))
    return list(dict.fromkeys(name.strip(":").lower() for name in names))[:_MAX_NAMES]


def strip_directive_options(text: str) -> str:
    """Return a directive's text as prose, without its options."""
    first = _FIRST.match(text)
    lines = [line.strip() for line in (text[first.end() :] if first else text).splitlines()]
    return "\n".join(line for line in lines if not _OPTION.match(line))


def _split_terms(lines: list[str]) -> list[str]:
    """Return a glossary in which each term of an entry is an entry by itself."""
    made: list[str] = []
    for line, below in pairwise([*lines, ""]):
        if line.strip() and not line[0].isspace() and below.strip() and not below[0].isspace():
            made += [line, "   \\"]
        else:
            made.append(line)
    return made


def split_directive_options(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the options and the lines of a directive."""
    lines = textwrap.dedent(text).split("\n")
    options: dict[str, str] = {}
    while lines and (not lines[0].strip() or _OPTION.match(lines[0])):
        if match := _OPTION.match(lines.pop(0)):
            options[match[1]] = match[2] or ""
    return options, lines
