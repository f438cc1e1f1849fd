"""CSV -> tables under their headers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from adapters.files.outline import Content, Outline
from adapters.files.regions import Row, tables
from adapters.files.text.decode import decode
from pipeline.errors import Refused

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
        tables(outline, _rows(text), spaced=True)
    except csv.Error as error:
        raise Refused(
            f"a cell holds more than {csv.field_size_limit():,} characters",
            what_to_do="Close its quotation mark, if that is missing, or split the cell.",
        ) from error
    return outline.content()


def _rows(text: str) -> Iterator[Row]:
    gap = False
    named = _NAMED.match(text)
    start = io.StringIO(text[named.end() :] if named else text, newline=None)
    dialect = {"delimiter": named[1]} if named else _dialect(text)
    for number, cells in enumerate(csv.reader(start, **dialect), 2 if named else 1):
        texts = [cell.strip() for cell in cells]
        own = sum(1 << column for column, cell in enumerate(texts) if cell)
        if own:
            yield Row(number, texts, own, gap=gap)
        gap = not own


def _dialect(text: str) -> dict[str, Any]:
    """As `csv.reader` takes it. A table of one column has no delimiter."""
    from clevercsv.detect import Detector

    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE and sample.count("\n") > 1:
        sample = sample.rsplit("\n", 1)[0]
    found = Detector().detect(sample, delimiters=_DELIMITERS)
    if found is None or (not found.delimiter and "\n" not in sample.strip()):
        return {}
    single = found.quotechar == "'" and '"' not in sample
    escape = "\\" if found.escapechar == "\\" and '\\"' in sample else None
    return {"delimiter": found.delimiter or _NONE, "quotechar": "'" if single else '"', "escapechar": escape}
