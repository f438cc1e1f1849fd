"""CSV as tables under their headers."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from adapters.files.content import OutlineBuilder, ParsedFile
from adapters.files.decode import decode_text
from adapters.files.table_headers import GridRow, are_column_names, is_number_or_date
from adapters.files.table_regions import add_sheet_tables
from pipeline.errors import Refused
from pipeline.values import BlockKind

_SAMPLE = 16_384
_DELIMITERS = ",;\t|"
_NONE = "\x1f"
_NAMED = re.compile(r"\s*sep=(.)\r?\n")
"""Line that Excel writes above a table to name its delimiter."""
_REMARKS = re.compile(r"(?:# .*(?:\r?\n|\r|\Z))+")
_KEPT_AS_TEXT = re.compile(r'="(.*)"')
"""Form of a code that makes Excel keep its zeros."""


def read_csv(content: bytes) -> ParsedFile:
    """Read a table. Delimiter and quoting are recognised; rows keep their line in the file."""
    text = decode_text(content)
    outline = OutlineBuilder()
    first = 1
    if remarks := _REMARKS.match(text):
        for first, line in enumerate(remarks[0].splitlines(), 2):
            outline.add(BlockKind.PROSE, line.lstrip("# "), row=first - 1)
        text = text[remarks.end() :]
    try:
        delimiter_line = _NAMED.match(text)
        dialect = {"delimiter": delimiter_line[1]} if delimiter_line else _detect_dialect(text)
        rows = _read_rows(
            text[delimiter_line.end() :] if delimiter_line else text, dialect, first + bool(delimiter_line)
        )
        if dialect.get("delimiter") == _NONE:
            _add_list(outline, rows)
        else:
            add_sheet_tables(outline, rows, spaced=True)
    except csv.Error as error:
        raise Refused(
            f"a cell holds more than {csv.field_size_limit():,} characters",
            what_to_do="Close its quotation mark, if that is missing, or split the cell.",
        ) from error
    return outline.build()


def _read_rows(text: str, dialect: dict[str, Any], first: int) -> Iterator[GridRow]:
    gap, has_text_codes = False, '="' in text
    for number, cells in enumerate(csv.reader(_repair_quotes(text, dialect.get("delimiter", ",")), **dialect), first):
        texts = [cell.strip() for cell in cells]
        if has_text_codes:
            texts = [_KEPT_AS_TEXT.sub(r"\1", cell) for cell in texts]
        # the mask of columns with a text: column 0 is the lowest bit
        own = int("".join("1" if cell else "0" for cell in reversed(texts)) or "0", 2)
        if own:
            yield GridRow(number, texts, own, follows_gap=gap)
        gap = not own


def _repair_quotes(text: str, delimiter: str) -> Iterator[str]:
    """Return the lines without a quotation mark that opens a cell and is never closed: it would swallow all that
    follows."""
    lines = list(io.StringIO(text, newline=None))
    opens = re.compile(rf'(^|{re.escape(delimiter)})"(?=[^"]*$)')
    closes = re.compile(rf'[^"]*"(?:{re.escape(delimiter)}|$)')
    odd = deque(index for index, line in enumerate(lines if '"' in text else ()) if line.count('"') % 2)
    while odd:
        index = odd.popleft()
        if opens.search(lines[index]):
            if odd and closes.match(lines[odd[0]]):
                odd.popleft()
            else:
                lines[index] = opens.sub(r"\1", lines[index])
    return iter(lines)


def _add_list(outline: OutlineBuilder, rows: Iterator[GridRow]) -> None:
    """Append a table of one column. Its first row is its name if that has words."""
    for index, row in enumerate(rows):
        kind = BlockKind.HEADER if not index and are_column_names(row.texts) else BlockKind.ROW
        outline.add_row(kind, row.texts, row=row.number)


def _detect_dialect(text: str) -> dict[str, Any]:
    """Return the dialect as `csv.reader` takes it. A table of one column has no delimiter."""
    from clevercsv.detect import Detector

    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE and sample.count("\n") > 1:
        sample = sample.rsplit("\n", 1)[0]
    detected = Detector().detect(sample, delimiters=_DELIMITERS)
    if detected is None or (not detected.delimiter and ("\n" not in sample.strip() or '"' in sample)):
        return {}
    first_line, *lines = sample.strip().splitlines() or [""]
    delimiter = detected.delimiter or _NONE
    sentences = sample.count(delimiter) == sample.count(f"{delimiter} ") and '"' not in sample
    if delimiter not in first_line and (
        sentences or not any(delimiter in line for line in lines if not is_number_or_date(line))
    ):
        delimiter = _NONE  # commas of sentences, or of figures
    single = detected.quotechar == "'" and '"' not in sample
    escape = "\\" if detected.escapechar == "\\" and '\\"' in sample else None
    return {
        "delimiter": delimiter,
        "quotechar": "'" if single else '"',
        "escapechar": escape,
        "skipinitialspace": f'{delimiter} "' in sample,
    }
