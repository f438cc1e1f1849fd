"""What lies over the cells of a sheet: notes, text boxes, charts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from adapters.files.office.workbook import Relation, Workbook, first, local, named, rich_text
from adapters.files.outline import Outline
from pipeline.values import BlockKind

_THREAD = "[Threaded comment]"
_MOST_POINTS = 10_000
"""Points of a chart that are read."""


def notes(book: Workbook, parts: list[Relation]) -> dict[str, str]:
    """The notes and comments of a sheet by the cell that they hang on, `B3`."""
    found: dict[str, list[str]] = defaultdict(list)
    for part in parts:
        if part.kind == "threadedComment":
            for comment in named(book.tree(part.path), "threadedComment"):
                found[comment.get("ref", "")].append(comment.findtext("{*}text") or "")
    for part in parts:
        if part.kind == "comments":
            tree = book.tree(part.path)
            authors = [author.text or "" for author in named(tree, "author")]
            for comment in named(tree, "comment"):
                text = next((rich_text(holder) for holder in comment if local(holder) == "text"), "").strip()
                for author in filter(None, authors):
                    text = text.removeprefix(f"{author}:").strip()
                if not text.startswith(_THREAD):
                    found[comment.get("ref", "")].append(text)
    return {cell: " ".join(" ".join(texts).split()) for cell, texts in found.items()}


def has_words(drawing: Any) -> bool:
    """Whether a drawing has a text box or a chart."""
    return first(drawing, "txBody") is not None or first(drawing, "chart") is not None


def has_picture(drawing: Any) -> bool:
    return first(drawing, "pic") is not None


def drawn(outline: Outline, book: Workbook, drawing: str, *, told: set[str]) -> None:
    """Text boxes as prose, charts as tables of their series; of a chart over sheets that are `told`, only its title."""
    for box in named(book.tree(drawing), "txBody"):
        for paragraph in named(box, "p"):
            outline.add(BlockKind.PROSE, "".join(run.text or "" for run in named(paragraph, "t")))
    for part in book.relations(drawing).values():
        if part.kind == "chart":
            _chart(outline, book.tree(part.path), told)


def _chart(outline: Outline, chart: Any, told: set[str]) -> None:
    title = next((element for element in named(chart, "title") if local(element.getparent()) == "chart"), None)
    outline.add(BlockKind.PROSE, "".join(run.text or "" for run in named(title, "t")))
    series = list(named(chart, "ser"))
    sources = {(formula.text or "").rpartition("!")[0].strip("'") for formula in named(chart, "f")}
    if not series or (sources and sources <= told):
        return
    names = [next((point for _, point in _points(first(one, "tx"))), "") for one in series]
    columns = [dict(_points(_either(one, "val", "yVal"))) for one in series]
    labels = dict(_points(_either(series[0], "cat", "xVal")))
    places = sorted(set(labels).union(*columns))
    rows = [[labels.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    outline.table([["", *names], *rows] if any(names) else rows, header=int(any(names)))


def _either(element: Any, *names: str) -> Any:
    return next((found for name in names if (found := first(element, name)) is not None), None)


def _points(holder: Any) -> Iterator[tuple[int, str]]:
    """The texts of a series, or of what names it, by their places."""
    points = [] if holder is None else list(named(holder, "pt"))[:_MOST_POINTS]
    if holder is not None and not points:
        points = list(named(holder, "v"))[:1]
    for index, point in enumerate(points):
        place = point.get("idx", "")
        value = point.text if local(point) == "v" else point.findtext("{*}v")
        yield int(place) if place.isdigit() else index, (value or "").strip()
