"""CSV -> rows under a header."""

from __future__ import annotations

import csv
import io
import re

from adapters.files.outline import Content, Outline
from adapters.files.text.decode import decode
from pipeline.errors import Refused
from pipeline.values import BlockKind

_SAMPLE = 16_384
_DELIMITERS = ",;\t|"
_VALUE = re.compile(r"[-+(]?[.,:/ €$£%-]*+\d[\d.,:/ €$£%)-]*")


def read_csv(content: bytes) -> Content:
    """Delimiter and quoting are recognised; rows keep their line in the file."""
    text = decode(content)
    outline = Outline()
    header = True
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text, newline=None), _dialect(text)), 1):
            if not any(cell.strip() for cell in cells):
                continue
            kind = BlockKind.HEADER if header and is_header(cells) else BlockKind.ROW
            outline.row(kind, cells, row=number)
            header = False
    except csv.Error as error:
        raise Refused(
            f"a cell holds more than {csv.field_size_limit():,} characters",
            what_to_do="Close its quotation mark, if that is missing, or split the cell.",
        ) from error
    return outline.content()


def _dialect(text: str) -> type[csv.Dialect]:
    sample = text[:_SAMPLE].rsplit("\n", 1)[0]
    try:
        return csv.Sniffer().sniff(sample, _DELIMITERS)
    except csv.Error:
        return csv.excel


def is_header(cells: list[str]) -> bool:
    """Whether a first row names columns: it has words, and no number or date."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and not any(_VALUE.fullmatch(cell) for cell in filled)
