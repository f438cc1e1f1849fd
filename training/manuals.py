"""Questions about the handbooks and manuals of public repositories, made by rules.

    python -m training.manuals OUT.jsonl.gz NAME=GIT_DIRECTORY...

Reads every Markdown file of the newest commit. A section is what stands under one heading. A heading that is a question
is one; one that begins with a verb becomes `How do I ...?`; a table row becomes `What is the COLUMN of ROW?`. The wrong
passages are the other sections of the same document, those first that share most words with the question.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.text import sentences, terms
from training.repository import files

SEED = 5
MARKDOWN = r"^(?!.*(/(?!en/)[a-z]{2}(-[a-zA-Z]{2,4})?/|CHANGELOG|release)).*\.mdx?$"
"""English pages that are no list of changes."""
WORDS = 110
"""Of a passage: the first sentences of a longer section."""
FEWEST = 12
"""Words of a section."""
NEGATIVES = 1
KNOWN, SHARE = 3, 0.01
"""How often a word must follow `how to`, `how do I` or the like, and in what share of its places, to be a verb: a
heading that begins with one is an instruction."""
REPEATED = 2
"""Documents of one repository that may have the same question: others name no subject (`Before you begin`)."""
_HEADING = re.compile(r"^(#{1,5})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~|:::)")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_MARKUP = (
    (re.compile(r"<!--.*?-->|\{%.*?%\}|\{\{.*?\}\}|:::.*?:::", re.DOTALL), " "),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]*)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"<[^>\n]*>"), ""),
    (re.compile(r"\{#[^}]*\}|\[!\w+[^\]]*\]|^>\s?", re.MULTILINE), ""),
    (re.compile(r"[*_`]{1,3}([^*_`\n]+)[*_`]{1,3}"), r"\1"),
    (re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+", re.MULTILINE), ""),
    (re.compile(r"!INCLUDE ?\[[^\]]*\]|^_?Applies to:.*$", re.MULTILINE), ""),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|>-])"), r"\1"),
    (re.compile(r"[ \t]+"), " "),
)
_HOW = re.compile(r"\b(?:how to|how do i|how can i|how do you|can i|want to|need to)\s+([a-z]{2,})\b")
_LEADS = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|step \d+:?|[^\w\s\"'(]+)\s+", re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")
Row = dict[str, Any]


@dataclass(frozen=True)
class Section:
    heading: str
    text: str
    tables: tuple[tuple[tuple[str, ...], ...], ...]
    """Each with its header row first."""


def sections(text: str) -> Iterator[Section]:
    heading, lines, fenced = "", [], False
    for line in [*_FRONT.sub("", text.replace("\r", "")).split("\n"), "# "]:
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        if found:
            yield Section(plain(heading), _body(lines), tuple(_tables(lines)))
            heading, lines = found.group(2), []
        elif not _FENCE.match(line):
            lines.append(line)


def plain(text: str) -> str:
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    return text.strip()


def _body(lines: list[str]) -> str:
    """The prose of a section: the first WORDS words, whole sentences, one line a paragraph or item."""
    text = plain("\n".join(line for line in lines if not line.lstrip().startswith("|")))
    kept, count = 0, 0
    for _, end in sentences(text):
        count += len(text[kept:end].split())
        if count > WORDS and kept:
            break
        kept = end
    return re.sub(r"\s*\n\s*", "\n", text[:kept])


def _tables(lines: list[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
    rows: list[tuple[str, ...]] = []
    for line in [*lines, ""]:
        if line.lstrip().startswith("|"):
            rows.append(tuple(plain(cell) for cell in _BAR.split(line.strip().strip("|"))))
        elif rows:
            if len(rows) > 3 and all(re.fullmatch(r":?-+:?", cell) for cell in rows[1] if cell):
                yield (rows[0], *(row for row in rows[2:] if len(row) == len(rows[0])))
            rows = []


def asked(heading: str, verbs: frozenset[str]) -> str:
    """The question that a heading asks or answers; empty where that is not plain."""
    heading = _LEADS.sub("", heading)
    words = heading.split()
    if not 3 <= len(words) <= 20 or re.search(r"[{}<>|]|https?:", heading):
        return ""
    if heading.endswith("?"):
        return heading
    first = words[0]
    if heading.lower().startswith("how to "):
        return f"How do I {heading[7:].rstrip('.:')}?"
    if first.lower() in verbs and first[0].isupper() and not first.isupper() and words[1].lower() not in ("of", "and"):
        return f"How do I {first.lower()} {' '.join(words[1:]).rstrip('.:')}?"
    return ""


def rows(source: str, found: list[Section], verbs: frozenset[str], draw: random.Random) -> Iterator[Row]:
    told = [one for one in found if len(one.text.split()) >= FEWEST]
    for section in told:
        question = asked(section.heading, verbs)
        if question:
            yield _row(source, question, section.text, 1)
            others = [one for one in told if one.text != section.text and one.heading != section.heading]
            wanted = set(terms(question))
            others.sort(key=lambda one: -len(wanted & set(terms(f"{one.heading} {one.text}"))))
            for other in others[:NEGATIVES]:
                yield _row(source, question, other.text, 0)
    tables = [table for one in found for table in one.tables]
    for table in tables:
        if len(table) > 3 and len(table[0]) > 1 and draw.random() < 0.7:
            yield from _of_table(source, table, tables, draw)


def _of_table(source: str, table: tuple, tables: list, draw: random.Random) -> Iterator[Row]:
    header, *entries = table
    column = draw.randrange(1, len(header))
    entry = draw.choice(entries)
    if not _names(entry[0]) or not _names(header[column]) or not entry[column].strip():
        return
    question = draw.choice(("What is the {} of {}?", "{} of {}", "What {} does {} have?"))
    question = question.format(header[column].lower().rstrip("?:"), entry[0])
    place = entries.index(entry)
    near = entries[max(0, place - draw.randrange(4)) : place + 1 + draw.randrange(4)]
    shown = [" | ".join(row) for row in (header, *near)]
    if sum(row[0] == entry[0] for row in near) == 1:
        start = sum(len(line) + 1 for line in shown[: 1 + near.index(entry)])
        text = "\n".join(shown)
        yield _row(source, question, text, 1, [start, start + len(shown[1 + near.index(entry)])])
    rest = [row for row in entries if row[0] != entry[0] and row not in near] or [row for row in near if row != entry]
    if len(rest) > 1:
        yield _row(source, question, "\n".join(" | ".join(row) for row in (header, *rest[:5])), 0)


def _names(cell: str) -> bool:
    return 1 <= len(cell.split()) <= 6 and bool(re.search(r"[A-Za-z]{3}", cell)) and "http" not in cell


def _row(source: str, question: str, passage: str, label: int, evidence: list[int] | None = None) -> Row:
    kind = f"{source}-{'pos' if label else 'neg'}"
    about = 1 if label else -1
    row = {"task": "question", "source": kind, "text": question, "passage": passage, "label": label}
    return row | {"about": about, "evidence": evidence}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("repositories", nargs="+", metavar="NAME=GIT_DIRECTORY")
    chosen = parser.parse_args()
    draw = random.Random(SEED)
    read: dict[str, list[list[Section]]] = {}
    after: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for one in chosen.repositories:
        name, _, directory = one.partition("=")
        read[name] = [list(sections(text)) for text in files(Path(directory), MARKDOWN)]
        for section in (section for found in read[name] for section in found):
            text = f"{section.heading}\n{section.text}".lower()
            after.update(_HOW.findall(text))
            words.update(re.findall(r"[a-z]+", text))
    verbs = frozenset(word for word, times in after.items() if times >= max(KNOWN, SHARE * words[word]))
    with gzip.open(chosen.out, "wt", encoding="utf-8") as out:
        for name, every in read.items():
            told = [list(rows(name, found, verbs, draw)) for found in every]
            often = Counter(text for some in told for text in {row["text"] for row in some})
            made = [row for some in told for row in some if often[row["text"]] <= REPEATED]
            print(name, len(every), "documents", dict(Counter(row["source"] for row in made)))
            for row in made:
                print(json.dumps(row), file=out)


if __name__ == "__main__":
    main()
