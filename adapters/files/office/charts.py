"""Charts and SmartArt of Office files -> tables and lists: what stands in their caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from lxml import etree

from adapters.files.office.elements import local
from adapters.files.office.number_format import number_format

Row = list[str]
_CATEGORIES, _VALUES = ("cat", "xVal"), ("val", "yVal", "bubbleSize")


def chart_table(chart: etree._Element) -> tuple[str, list[Row]]:
    """A chart's title, and its series as columns beside their categories; the first row names them. Without rows where
    nothing is stored."""
    series = list(chart.iterfind(".//{*}plotArea/*/{*}ser"))
    columns: list[tuple[str, dict[int, str]]] = []
    categories: dict[int, str] = {}
    for place, one in enumerate(series, 1):
        points = next((found for name in _CATEGORIES if (found := _points(one, name))), {})
        named = _text(one.find("{*}tx")) or (f"Series {place}" if len(series) > 1 else "")
        own = [values for name in _VALUES if (values := _points(one, name))]
        if categories and points and points != categories:  # of a scatter: each with its own places
            own.insert(0, points)
        categories = categories or points
        columns += [(named, values) for values in own]
    rows = sorted(set(categories).union(*(values for _, values in columns)))
    if not columns:
        return _text(chart.find("{*}chart/{*}title")), []
    axis = _axis(chart, "catAx", "dateAx", "valAx" if any(one.find("{*}xVal") is not None for one in series) else "")
    unit = _axis(chart, "valAx") if len(chart.findall(".//{*}plotArea/{*}valAx")) == 1 else ""
    head = [axis, *(f"{name} ({unit})" if name and unit else name or unit for name, _ in columns)]
    body = [[categories.get(row, ""), *(values.get(row, "") for _, values in columns)] for row in rows]
    return _text(chart.find("{*}chart/{*}title")), [head, *body]


def extended_table(chart: etree._Element) -> tuple[str, list[Row]]:
    """As `chart_table`, of the kinds of chart that came with Office 2016."""
    columns = [
        {int(point.get("idx", 0)): point.text or "" for point in level.iterfind("{*}pt")}
        for level in chart.iterfind(".//{*}chartData/{*}data/*/{*}lvl")
    ]
    title = _text(chart.find(".//{*}title"))
    rows = sorted(set().union(*columns))
    named = [_text(one.find("{*}tx")) for one in chart.iterfind(".//{*}series")]
    head = [*[""] * (len(columns) - len(named)), *named][: len(columns)]
    return title, [head, *([column.get(row, "") for column in columns] for row in rows)] if rows else []


def diagram_items(data: etree._Element) -> Iterator[tuple[int, list[etree._Element]]]:
    """The depth and the paragraphs of each node of a SmartArt, in the order in which they are drawn."""
    nodes = {point.get("modelId", ""): point for point in data.iterfind("{*}ptLst/{*}pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for link in data.iterfind("{*}cxnLst/{*}cxn"):
        if link.get("type", "parOf") == "parOf":
            place = int(link.get("srcOrd", 0))
            below.setdefault(link.get("srcId", ""), []).append((place, link.get("destId", "")))
    ahead = [(0, key) for key, point in nodes.items() if point.get("type") == "doc"]
    seen: set[str] = set()
    while ahead:
        depth, key = ahead.pop()
        if key in seen or key not in nodes:
            continue
        seen.add(key)
        if depth:
            yield depth - 1, nodes[key].findall("{*}t/{*}p")
        ahead += [(depth + 1, child) for _, child in sorted(below.get(key, ()), reverse=True)]


def _points(series: etree._Element, name: str) -> dict[int, str]:
    """What is stored, by place; categories of several levels as `2025 - Q1`."""
    found = series.find(f"{{*}}{name}")
    if found is None:
        return {}
    levels = [_level(level, level) for level in found.iterfind(".//{*}multiLvlStrCache/{*}lvl")]
    if levels:
        places = sorted(set().union(*levels))
        spread = [accumulate([level.get(place, "") for place in places], _held) for level in reversed(levels)]
        return {place: " - ".join(filter(None, names)) for place, *names in zip(places, *spread, strict=True)}
    cache = next((one for one in found.iter() if local(one) in {"strCache", "numCache", "strLit", "numLit"}), None)
    return {} if cache is None else _level(cache, cache)


def _held(before: str, here: str) -> str:
    return here or before


def _level(points: etree._Element, cache: etree._Element) -> dict[int, str]:
    code = cache.findtext("{*}formatCode") or ""
    number = local(cache).startswith("num")
    return {
        int(point.get("idx", 0)): _shown(value, point.get("formatCode") or code) if number else value.strip()
        for point in points.iterfind("{*}pt")
        if (value := point.findtext("{*}v"))
    }


def _shown(value: str, code: str) -> str:
    """A number as its format shows it."""
    try:
        return number_format(code or "General").shown(float(value)).strip()
    except (ValueError, OverflowError):
        return value


def _axis(chart: etree._Element, *kinds: str) -> str:
    found = (chart.find(f".//{{*}}plotArea/{{*}}{kind}/{{*}}title") for kind in kinds if kind)
    return next((text for title in found if title is not None and (text := _text(title))), "")


def _text(element: etree._Element | None) -> str:
    """The words of a title or of a series' name, given or from its cells."""
    if element is None:
        return ""
    texts: Sequence[str] = [
        "".join(part.text or "" for part in line.iter() if local(part) in {"t", "v"})
        for line in (element.findall(".//{*}p") or [element])
    ]
    return " ".join(" ".join(texts).split())
