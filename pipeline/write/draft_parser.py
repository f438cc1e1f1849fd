"""A parser from streamed model text to sentences: incremental, and independent of the boundaries of the stream's
pieces.

A sentence is complete at a source number with a full stop behind it, or where the next one begins. Items, steps and
rows are complete with their line; tables and code come whole. Numbers behind a paragraph's last sentence stand for the
uncited sentences before it, a line of numbers alone for the text above it, those of a lead-in for the list behind it,
and those of a table for its rows without any."""

from __future__ import annotations

import re
from collections.abc import Container

from pipeline.values import BlockKind, Cells, Value, join_cells, replace
from pipeline.words.text import is_lead_in, is_yes_or_no, strip_invisible
from pipeline.write.citation_marks import (
    PassageMark,
    SentenceEndFinder,
    parse_number_cell,
    split_marks,
    strip_unbalanced_markup,
)

COMPARISON_SECTION_NAMES = ("similarities", "differences", "contradictions", "conclusion")
"""Labels of the comparison template."""
ABSENT_MARKER = "NOT_IN_DOCUMENTS"
"""Marker that a model writes on a line of its own when the passages do not hold the answer or, after a colon, a part of
it."""

DECORATION = '*_# \t`"'
"""Characters that models put around a label."""
LINE_START = re.compile(
    r"\s*(?:(?P<item>[-*•–‣◦]\s+)|(?P<step>\d{1,3}[.)]\s+)|(?P<row>\|)|(?P<fence>```+|~~~+)|(?P<head>#{1,6}\s)|(?P<quote>>))"
)
_UNDECIDED = re.compile(r"\s*+(?:[-*•–‣◦_]+|\d{1,3}[.)]?|`{1,2}|~{1,2}|#{1,6})?\s*+$")
HORIZONTAL_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$")
SECTION_LABEL = re.compile(rf"[*_#\s]*(?P<name>{'|'.join(COMPARISON_SECTION_NAMES)})[*_\s]*(?::[*_]*|$)", re.IGNORECASE)
ABSENT_LINE = re.compile(r"[*_`\"\s]*NOT[_ ]IN[_ ]DOCUMENTS[*_`\".]*:?(?P<what>.*)")
SOURCES_FOOTER = re.compile(r"[*_#\s]*(?:sources|references|citations)[*_\s]*:", re.IGNORECASE)
_LABELS = (
    *COMPARISON_SECTION_NAMES,
    ABSENT_MARKER.lower(),
    ABSENT_MARKER.lower().replace("_", " "),
    "sources",
    "references",
    "citations",
)
_CELL_BAR = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r":?-+:?$")
_SOURCE_COLUMN = re.compile(r"(?:sources?|citations?|references?|quellen?|fuentes?|passages?)$", re.IGNORECASE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}(?!\S)")
"""A name such as `python`, `c++`, `objective-c`: nothing that could end the fence or be a link."""


def is_incomplete_line(line: str) -> bool:
    """Tell whether this beginning does not show yet which kind of line it belongs to."""
    begun = line.lstrip(DECORATION).lower().rstrip("*_: ")
    return bool(_UNDECIDED.match(line)) or any(word.startswith(begun) for word in _LABELS)


def parse_table(lines: list[str]) -> list[tuple[Cells, BlockKind, tuple[int, ...]]]:
    """Parse the lines of a Markdown table into header and rows with their source numbers; a column of sources becomes
    the numbers of its rows."""
    table = [[cell.strip() for cell in _CELL_BAR.split(_strip_bars(line))] for line in lines]
    ruled = len(table) > 1 and all(_RULER.match(cell) for cell in table[1])
    rows = [cells for cells in table if not all(_RULER.match(cell) or not cell for cell in cells)]
    column = next((n for n, cell in enumerate(rows[0]) if _SOURCE_COLUMN.match(cell)), -1) if ruled and rows else -1
    kinds = [BlockKind.HEADER if ruled and not n else BlockKind.ROW for n in range(len(rows))]
    return [_parse_row(cells, column, kind) for cells, kind in zip(rows, kinds, strict=True)]


def _parse_row(cells: list[str], column: int, kind: BlockKind) -> tuple[Cells, BlockKind, tuple[int, ...]]:
    """Return the cells of a row without marks, its kind, and its source numbers."""
    parsed = [("", parse_number_cell(cell)) if n == column else split_marks(cell) for n, cell in enumerate(cells)]
    texts = tuple(text.replace("<br>", " ").replace("\\|", "|") for n, (text, _) in enumerate(parsed) if n != column)
    return texts, kind, tuple(dict.fromkeys(number for _, numbers in parsed for number in numbers))


def _strip_bars(line: str) -> str:
    """Return a line of a table without the bars at its ends; an empty cell there stays."""
    line = line.strip().removeprefix("|")
    return line[:-1] if line.endswith("|") and not line.endswith("\\|") else line


class ParsedSentence(Value):
    """A `DraftSentence` before its source numbers are resolved."""

    text: str
    kind: BlockKind = BlockKind.PROSE
    numbers: tuple[int, ...] = ()
    opens: bool = False
    language: str = ""
    section: str = ""
    inherited_numbers: tuple[int, ...] = ()
    """Numbers of the lead-in, which support the sentence where it has none of its own."""
    cells: Cells = ()
    """Cells of a row or a header."""

    @property
    def leads_in(self) -> bool:
        """True where the sentence leads to a list or is only a yes or no."""
        return self.kind is not BlockKind.CODE and (is_lead_in(self.text) or is_yes_or_no(self.text))


class DraftParser:
    """A parser that is fed text as it arrives; `missing` collects the parts of the question that the model reports
    absent. `own` are the marks that the passages have of their own."""

    def __init__(self, passage_marks: Container[PassageMark] = ()) -> None:
        self._passage_marks = passage_marks
        self.missing: list[str] = []
        self._rest = ""
        self._ending = SentenceEndFinder()
        self._at_line_start = True
        """True at the beginning of a line."""
        self._opens = True
        self._kind: BlockKind | None = None
        self._section = ""
        self._inherited: tuple[int, ...] = ()
        self._fence: list[str] | None = None
        self._table: list[str] = []
        self._held: list[ParsedSentence] = []
        self._ready: list[ParsedSentence] = []
        self._finished = False

    def feed(self, text: str) -> list[ParsedSentence]:
        """Return the sentences that `text` completes."""
        self._rest += strip_invisible(text.replace("\r", ""))
        while not self._finished and self._step():
            pass
        return self._take_ready()

    def close(self, *, complete: bool = True) -> list[ParsedSentence]:
        """Return the remaining sentences. With `complete` off the text was cut, and an unfinished sentence is
        dropped."""
        if complete and not self._finished:
            self._rest += "\n"
            while self._step():
                pass
        self._end_table()
        if complete and self._fence is not None:
            self._end_fence()
        self._release(())
        return self._take_ready()

    @property
    def is_within_block(self) -> bool:
        """True within code or a table, whose source numbers stand behind it."""
        return self._fence is not None or bool(self._table)

    def _take_ready(self) -> list[ParsedSentence]:
        ready, self._ready = self._ready, []
        return ready

    def _step(self) -> bool:
        """Consume one line or sentence; False when more text is needed."""
        line, newline, after = self._rest.partition("\n")
        if not self._rest or (not newline and self._fence is not None):
            return False
        if self._fence is not None:
            self._rest = after
            self._read_fence_line(line)
            return True
        if self._at_line_start and not newline and is_incomplete_line(line):
            return False
        return (self._read_line_start if self._at_line_start else self._read_prose)(line, newline, after)

    def _read_line_start(self, line: str, newline: str, following: str) -> bool:
        """Decide the kind of a line and consume its beginning or all of it; False when more text is needed."""
        opening = LINE_START.match(line)
        if self._table and not (opening and opening["row"]) and (newline or line.strip()):
            self._end_table()
        if label := SECTION_LABEL.match(line):
            self._section = label["name"].lower()
            self._rest, self._opens = line[label.end() :] + newline + following, True
            return bool(self._rest)
        if SOURCES_FOOTER.match(line):
            self._finished = True
            return False
        if opening and opening["quote"]:
            self._rest = line[opening.end() :] + newline + following
            return bool(self._rest)
        if not opening and not ABSENT_LINE.match(line) and line.strip() and not HORIZONTAL_RULE.match(line):
            self._at_line_start = False
            self._opens |= self._kind not in (None, BlockKind.PROSE) and not line.startswith("  ")
            return True
        if not newline:
            return False
        self._rest = following
        self._read_line(line, opening)
        return True

    def _read_line(self, line: str, opening: re.Match[str] | None) -> None:
        absent = ABSENT_LINE.match(line[opening.end() :] if opening and (opening["item"] or opening["step"]) else line)
        if absent:
            self.missing.append(absent["what"].strip(DECORATION + "."))
        elif not line.strip() or HORIZONTAL_RULE.match(line):
            self._opens = True
        elif opening is None:
            self._complete(line, BlockKind.PROSE)
        elif opening["row"]:
            self._table.append(line)
        elif opening["fence"]:
            self._fence = [line.strip().lstrip("`~").strip()]
        elif opening["head"]:
            self._complete(line[opening.end() :].strip("# "), BlockKind.HEADING)
        else:
            self._complete(line[opening.end() :], BlockKind.ITEM if opening["item"] else BlockKind.STEP)

    def _read_prose(self, line: str, newline: str, after: str) -> bool:
        end = self._ending.find(line, final=bool(newline))
        if end is None and not newline:
            return False
        self._ending = SentenceEndFinder()
        if end is None or not line[end:].strip():
            self._complete(line, BlockKind.PROSE)
            self._rest = after if newline else ""
            self._at_line_start = bool(newline)
        else:
            self._complete(line[:end], BlockKind.PROSE)
            self._rest = line[end:] + newline + after
        return True

    def _read_fence_line(self, line: str) -> None:
        assert self._fence is not None
        stripped = line.strip()
        rest, numbers = split_marks(stripped.lstrip("`~"))
        if stripped.startswith(("```", "~~~")) and not rest:
            self._end_fence()
            if numbers:
                self._release(numbers)
        else:
            self._fence.append(line)

    def _end_fence(self) -> None:
        assert self._fence is not None
        info, *lines = self._fence
        self._fence = None
        language = _LANGUAGE.match(info)
        if any(line.strip() for line in lines):
            self._place_sentence(
                self._make_sentence("\n".join(lines), BlockKind.CODE, (), language=language.group() if language else "")
            )

    def _end_table(self) -> None:
        rows, self._table = parse_table(self._table), []
        if not rows:
            return
        cited = tuple(dict.fromkeys(number for _, _, numbers in rows for number in numbers))
        marked = [
            self._make_sentence(join_cells(cells), kind, numbers or cited, cells=cells) for cells, kind, numbers in rows
        ]
        self._release(cited if self._leads_in() else ())
        (self._ready if cited else self._held).extend(marked)

    def _complete(self, raw: str, kind: BlockKind) -> None:
        text, numbers = split_marks(raw.strip(), self._passage_marks)
        text = strip_unbalanced_markup(text)
        if any(character.isalnum() for character in text):
            self._place_sentence(self._make_sentence(text, kind, numbers))
        elif numbers:
            self._release(numbers)

    def _make_sentence(
        self, text: str, kind: BlockKind, numbers: tuple[int, ...], *, language: str = "", cells: Cells = ()
    ) -> ParsedSentence:
        """Build a sentence, and remember its kind and the source numbers that a list under it inherits."""
        same_list = kind is self._kind or (kind is BlockKind.ROW and self._kind is BlockKind.HEADER)
        opens = self._opens or not (same_list or kind is BlockKind.PROSE)
        self._opens, self._kind = False, kind
        prose = kind in (BlockKind.PROSE, BlockKind.HEADING)
        marked = ParsedSentence(
            text=text,
            kind=kind,
            numbers=numbers,
            opens=opens,
            language=language,
            section=self._section,
            inherited_numbers=() if prose else self._inherited,
            cells=cells,
        )
        if prose:
            self._inherited = numbers if marked.leads_in else ()
        return marked

    def _place_sentence(self, marked: ParsedSentence) -> None:
        """Pass a sentence on, or hold it while its source numbers may still come."""
        follows = marked.kind is BlockKind.PROSE and not marked.opens
        together = follows or self._leads_in()
        if marked.numbers or not together:
            self._release(marked.numbers if together else ())
        (self._ready if marked.numbers else self._held).append(marked)

    def _leads_in(self) -> bool:
        return bool(self._held) and self._held[-1].leads_in

    def _release(self, numbers: tuple[int, ...]) -> None:
        self._ready.extend(replace(sentence, numbers=numbers or sentence.inherited_numbers) for sentence in self._held)
        self._held.clear()
