"""Lint the prose of README and docs: proselint's checks, and the rules of this house. `make check` runs it.

proselint comes from the package registry alone. Vale has more rules, but what the registries hold of it downloads its
program when it first runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).parents[1]
GENERATED = ("docs/commands.md", "docs/settings.md")
"""Their sentences are written in the code."""
PAGES = tuple(
    page
    for page in (
        *map(ROOT.joinpath, ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
        *sorted(ROOT.glob("docs/**/*.md")),
    )
    if page.relative_to(ROOT).as_posix() not in GENERATED
)
CHANGES = "CHANGELOG.md"
"""Only its newest part is read, and only when it is named."""
LENGTH, CLAUSES = "length", "clauses"
MOST_WORDS = 30
MOST_CLAUSES = 3
"""Of one sentence."""
CODE = "‹code›"
"""Stands for a code span: its words are not ours."""
_BETWEEN = "\n¶\n"
"""Keeps proselint from reading the cells of a table as one phrase."""
_OFF = ("typography.symbols",)
"""Checks of proselint that do not fit Markdown, where quotes and dots are typed straight."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])[)\"”]*\s+(?=[\"“(\[]?[A-Z0-9‹])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|approx|No)\.$")
_WORD = re.compile(r"[^\s]*[A-Za-z0-9][^\s]*")
_SUBORDINATOR = re.compile(
    r"\b(?:that|which|who|whom|whose|what|whatever|whether|where|wherever|when|whenever|while|because|if|unless|until|"
    r"although|though|since)\b",
    re.IGNORECASE,
)


class Rule(NamedTuple):
    """A pattern that no sentence may have."""

    name: str
    pattern: re.Pattern[str]
    reason: str


RULES = (
    Rule(
        "opening",
        re.compile(r"^(?:What|Whatever|Whether|Whoever|Whichever|Who|Whom|Whose|That which)\b(?!.*\?$)"),
        "the reader holds a clause in mind until its verb comes: open with the thing that acts",
    ),
    Rule(
        "whoever",
        re.compile(r"\b(?:whoever|whomever|whosoever)\b", re.IGNORECASE),
        "name the person: the administrator, the asker, a reader",
    ),
    Rule(
        "of which",
        re.compile(r"\bof (?:which|whom)\b", re.IGNORECASE),
        "the reader looks back for the thing: name it again, in a sentence of its own",
    ),
    Rule(
        "the same in",
        re.compile(r"\bthe same (?:in|of|for)\b", re.IGNORECASE),
        "the reader looks back for what is the same: say it",
    ),
)


class Sentence(NamedTuple):
    """A sentence as it is read, and the line of the page where its block begins."""

    line: int
    text: str
    heading: bool = False


class Breach(NamedTuple):
    """A sentence that breaks a rule."""

    page: str
    line: int
    rule: str
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.rule}: {self.reason}: {self.text[:100]}"


def breaches(page: str, markdown: str) -> Iterator[Breach]:
    """Yield each breach of a page, ours first."""
    sentences = list(sentences_of(markdown))
    for sentence in sentences:
        for rule, reason in _ours(sentence):
            yield Breach(page, sentence.line, rule, reason, sentence.text)
    yield from _proselint(page, sentences)


def sentences_of(markdown: str) -> Iterator[Sentence]:
    """Yield the sentences of headings, paragraphs, items and table cells. Code blocks and HTML are left out."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    line = 0
    for before, token in pairwise(tokens):
        line = (before.map or (line, 0))[0]
        if token.type == "inline":
            for text in _split(_read(token.children or ())):
                yield Sentence(line + 1, text, heading=before.type == "heading_open")


def _read(tokens: Iterable[Token]) -> str:
    kinds = {"code_inline": CODE, "softbreak": " ", "hardbreak": " "}
    return "".join(kinds.get(token.type) or token.content for token in tokens if token.type != "image")


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if not _ABBREVIATION.search(text[start : end.start()]):
            yield text[start : end.start()].strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def _ours(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for rule in RULES:
        if rule.pattern.search(sentence.text) and not (sentence.heading and rule.name == "opening"):
            yield rule.name, rule.reason
    words = len(_WORD.findall(sentence.text))
    if words > MOST_WORDS:
        yield LENGTH, f"{words} words, at most {MOST_WORDS} are read at once: make two sentences of it"
    clauses = len(_SUBORDINATOR.findall(sentence.text))
    if clauses > MOST_CLAUSES:
        yield CLAUSES, f"{clauses} subordinate clauses, at most {MOST_CLAUSES} are kept apart: make two sentences of it"


def _proselint(page: str, sentences: list[Sentence]) -> Iterator[Breach]:
    if not sentences:
        return
    if not CheckRegistry().checks:
        CheckRegistry().register_many(__register__)
    ends = list(accumulate(len(sentence.text) + len(_BETWEEN) for sentence in sentences))
    file = LintFile(page, _BETWEEN.join(sentence.text for sentence in sentences))
    for result in file.lint(DEFAULT):
        found = result.check_result
        if not found.check_path.startswith(_OFF):
            sentence = sentences[min(sum(end < found.span[0] for end in ends), len(sentences) - 1)]
            yield Breach(page, sentence.line, found.check_path, found.message, sentence.text)


def newest(changes: str) -> str:
    """Return the title and the first version of a list of changes."""
    return "## ".join(changes.split("## ", 2)[:2])


def main(names: Sequence[str]) -> None:
    """Print each breach of these pages, or of all; end with 1 where there is one."""
    pages = [ROOT / name for name in names] or PAGES
    found = []
    for page in pages:
        markdown = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT).as_posix()
        found += breaches(name, newest(markdown) if name == CHANGES else markdown)
    for breach in found:
        print(breach)
    sys.exit(bool(found))


if __name__ == "__main__":
    main(sys.argv[1:])
