"""Jupyter notebooks as blocks: text, code and the output of the code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from adapters.files.content import ParsedFile, ProgressCallback, ignore_progress
from adapters.files.decode import decode_text
from adapters.files.text.markdown import read_markdown
from pipeline.errors import Refused
from pipeline.values import replace

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MARKS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_PICTURES = frozenset({"png", "jpeg", "svg", "svg+xml", "gif", "pdf"})
_FENCE = re.compile(r"~{3,}")
_MAX_OUTPUT_LENGTH = 20_000
"""Characters of one output: a loop may have written for hours."""


def read_notebook(content: bytes, on_pages: ProgressCallback = ignore_progress) -> ParsedFile:
    """Read a notebook as one page of Markdown. Outputs that are pictures are noted as unread. Raises Refused for a file
    that is no notebook."""
    book = json.loads(decode_text(content))
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict):  # before version 4
        cells = [cell for sheet in book.get("worksheets", []) for cell in sheet.get("cells", [])]
    if not cells:
        raise Refused("the file is no notebook with cells", what_to_do="Open and save it again in Jupyter.")
    parts: list[str] = []
    unread: list[str] = []
    for number, cell in enumerate(cells, 1):
        try:
            texts = list(_read_cell(cell))
        except (AttributeError, KeyError, TypeError, ValueError):
            unread.append(f"cell {number}: it is damaged")
            continue
        parts += filter(None, texts)
        if None in texts:
            unread.append(f"cell {number}: an output that is a picture")
    parsed = read_markdown("\n\n".join(parts).encode(), on_pages)
    return replace(parsed, unread=(*parsed.unread, *unread))


def _read_cell(cell: dict[str, Any]) -> Iterator[str | None]:
    source = _join_lines(cell.get("source", cell.get("input", "")))
    match cell["cell_type"]:
        case "heading":
            yield f"{'#' * int(cell.get('level', 1))} {source}"
        case "code":
            yield _fence_code(source)
            yield from map(_read_output, cell.get("outputs", []))
        case _:
            yield source


def _read_output(output: dict[str, Any]) -> str | None:
    """Return the visible form of an output, as in Jupyter the richest alternative; None for a picture."""
    data = {key.rpartition("/")[2]: value for key, value in output.get("data", output).items()}
    if output.get("output_type") in {"error", "pyerr"}:
        return _fence_code(f"{output.get('ename', '')}: {output.get('evalue', '')}".strip(": "))
    html = " ".join(_join_lines(data.get("html", "")).split())
    if any(map(str.isalnum, _MARKS.sub("", html))):
        return f"<div>{html}</div>"  # on one line: a blank one would end it
    if markdown := _join_lines(data.get("markdown", "")):
        return markdown
    if formula := _join_lines(data.get("latex", "")):
        return _fence_code(formula.strip("$ \n").removeprefix("\\displaystyle "))
    if _PICTURES.intersection(data):
        return None
    return _fence_code(_COLOURS.sub("", _join_lines(data.get("plain", output.get("text", ""))))[:_MAX_OUTPUT_LENGTH])


def _fence_code(code: str) -> str:
    fence = "~" * (1 + max((len(run) for run in _FENCE.findall(code)), default=2))
    return f"{fence}\n{code}\n{fence}" if code.strip() else ""


def _join_lines(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
