"""What charts and diagrams (SmartArt) of Office say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from adapters.files.office.docx_xml import Element, number, q

_MOST_POINTS = 10_000
_LONG = re.compile(r"-?\d{1,9}\.\d{12,20}")


def chart_table(chart: Element) -> tuple[str, list[list[str]]]:
    """The title of a chart, and its series as a table: their names, then a row for each category."""
    title = "".join(text.text or "" for text in chart.iterfind(f".//{q('c:title')}//{q('a:t')}"))
    series = list(chart.iter(q("c:ser")))
    names = [next(iter(_points(one, "c:tx").values()), "") for one in series]
    values = [_points(one, "c:val") or _points(one, "c:yVal") for one in series]
    rows: dict[int, str] = {}
    for one in series:
        rows |= _points(one, "c:cat") or _points(one, "c:xVal")
    places = sorted({*rows, *(place for one in values for place in one)})
    table = [[rows.get(place, ""), *(one.get(place, "") for one in values)] for place in places]
    return title, [["", *names], *table] if table else []


def _points(series: Element, name: str) -> dict[int, str]:
    """By place: the labels or values that a chart keeps of the sheet behind it."""
    found: dict[int, str] = {}
    part = series.find(q(name))
    for point in () if part is None else part.iter(q("c:pt")):
        if len(found) < _MOST_POINTS:
            found[number(point.get("idx"))] = _short(point.findtext(q("c:v")) or "")
    if part is not None and not found and (text := part.findtext(q("c:v"))):
        found[0] = text
    return found


def _short(value: str) -> str:
    """A number without the error of its last digits."""
    return f"{float(value):.12g}" if _LONG.fullmatch(value) else value


def diagram_items(data: Element) -> Iterator[tuple[int, str]]:
    """Depth and text of what a diagram says, in its order."""
    texts = {
        point.get("modelId", ""): " ".join(
            "".join(text.text or "" for text in paragraph.iter(q("a:t"))) for paragraph in point.iter(q("a:p"))
        ).strip()
        for point in data.iter(q("dgm:pt"))
        if point.get("type", "node") in {"node", "asst", "doc"}
    }
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    inner: set[str] = set()
    for link in data.iter(q("dgm:cxn")):
        source, target = link.get("srcId", ""), link.get("destId", "")
        if link.get("type", "parOf") == "parOf" and source in texts and target in texts:
            below[source].append((number(link.get("srcOrd")), target))
            inner.add(target)
    ahead = [(0, name) for name in reversed(texts) if name not in inner]
    while ahead:
        depth, name = ahead.pop()
        if name not in texts:
            continue
        text = texts.pop(name)
        if text:
            yield depth, text
        ahead += [(depth + bool(text), child) for _, child in sorted(below[name], reverse=True)]
