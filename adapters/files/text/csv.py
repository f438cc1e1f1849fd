"""CSV -> tables under their headers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from adapters.files.outline import Content, Outline
from adapters.files.regions import tables
from adapters.files.tables import Row, is_header
from adapters.files.text.decode import decode
from pipeline.errors import Refused
from pipeline.values import BlockKind

_SAMPLE = 16_384
_DELIMITERS = ",;\t|"
_NONE = "\x1f"
_NAMED = re.compile(r"\s*sep=(.)\r?\n")
"""What Excel writes above a table to name its delimiter."""


def read_csv(content: bytes) -> Content:
    """Delimiter and quoting are recognised; rows keep their line in the file."""
    text = decode(content)
    outline = Outline()
    try:
        named = _NAMED.match(text)
        dialect = {"delimiter": named[1]} if named else _dialect(text)
        rows = _rows(text[named.end() :] if named else text, dialect, 2 if named else 1)
        if dialect.get("delimiter") == _NONE:
            _list(outline, rows)
        else:
            tables(outline, rows, spaced=True)
    except csv.Error as error:
        raise Refused(
            f"a cell holds more than {csv.field_size_limit():,} characters",
            what_to_do="Close its quotation mark, if that is missing, or split the cell.",
        ) from error
    return outline.content()


def _rows(text: str, dialect: dict[str, Any], first: int) -> Iterator[Row]:
    gap = False
    for number, cells in enumerate(csv.reader(io.StringIO(text, newline=None), **dialect), first):
        texts = [cell.strip() for cell in cells]
        own = sum([1 << column for column, cell in enumerate(texts) if cell])
        if own:
            yield Row(number, texts, own, gap=gap)
        gap = not own


def _list(outline: Outline, rows: Iterator[Row]) -> None:
    """One column: its first row is its name if that has words."""
    for index, row in enumerate(rows):
        kind = BlockKind.HEADER if not index and is_header(row.texts) else BlockKind.ROW
        outline.row(kind, row.texts, row=row.number)


def _dialect(text: str) -> dict[str, Any]:
    """As `csv.reader` takes it; a table of one column has no delimiter."""
    from clevercsv.detect import Detector

    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE and sample.count("\n") > 1:
        sample = sample.rsplit("\n", 1)[0]
    found = Detector().detect(sample, delimiters=_DELIMITERS)
    if found is None or (not found.delimiter and ("\n" not in sample.strip() or '"' in sample)):
        return {}
    named = sample.lstrip().partition("\n")[0]
    delimiter = found.delimiter or _NONE
    if delimiter not in named and sample.count(delimiter) == sample.count(f"{delimiter} "):
        delimiter = _NONE  # commas of sentences
    single = found.quotechar == "'" and '"' not in sample
    escape = "\\" if found.escapechar == "\\" and '\\"' in sample else None
    return {"delimiter": delimiter, "quotechar": "'" if single else '"', "escapechar": escape}
