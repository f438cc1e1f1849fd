"""Charts and SmartArt of Office files as tables and lists, from their cached values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from lxml import etree

from adapters.files.content import OutlineBuilder
from adapters.files.office.number_format import parse_number_format
from adapters.files.office.package import local_name, parse_bounded_int
from adapters.files.office.slides import paragraph_text
from pipeline.values import BlockKind

ChartRow = list[str]
_CATEGORIES, _VALUES = ("cat", "xVal"), ("val", "yVal", "bubbleSize")
_MAX_POINTS = 10_000
_NODES = {"node", "asst", "doc"}


def add_chart(outline: OutlineBuilder, chart: etree._Element) -> bool:
    """Append a chart's title and its table. Return whether it has one."""
    title, rows = chart_table(chart)
    outline.add(BlockKind.PROSE, title)
    outline.add_table(rows, header=1)
    return bool(rows)


def add_diagram(outline: OutlineBuilder, data: etree._Element) -> None:
    """Append the nodes of a SmartArt as entries of a list."""
    for depth, paragraphs in _diagram_nodes(data):
        text = "\n".join(paragraph_text(paragraph, {})[0] for paragraph in paragraphs)
        outline.add(BlockKind.ITEM, text, depth=depth)


def chart_table(chart: etree._Element) -> tuple[str, list[ChartRow]]:
    """Return a chart's title, and its series as columns beside their categories. The first row names them. Without
    stored values there are no rows."""
    if chart.find("{*}chartData") is not None:
        return _extended_chart_table(chart)
    series = list(chart.iterfind(".//{*}plotArea/*/{*}ser"))
    columns: list[tuple[str, dict[int, str]]] = []
    categories: dict[int, str] = {}
    for number, item in enumerate(series, 1):
        points = next((candidate for name in _CATEGORIES if (candidate := _read_points(item.find(f"{{*}}{name}")))), {})
        name = _element_text(item.find("{*}tx")) or (f"Series {number}" if len(series) > 1 else "")
        own = [values for name in _VALUES if (values := _read_points(item.find(f"{{*}}{name}")))]
        if categories and points and points != categories:  # of a scatter: each with its own places
            own.insert(0, points)
        categories = categories or points
        columns += [(name, values) for values in own]
    scattered = any(item.find("{*}xVal") is not None for item in series)
    axis = _axis_title(chart, "catAx", "dateAx", "valAx" if scattered else "")
    unit = _axis_title(chart, "valAx") if len(chart.findall(".//{*}plotArea/{*}valAx")) == 1 else ""
    head = [axis, *(f"{name} ({unit})" if name and unit else name or unit for name, _ in columns)]
    title = _element_text(chart.find("{*}chart/{*}title"))
    return title, _build_rows(head, [categories, *(values for _, values in columns)]) if columns else []


def _extended_chart_table(chart: etree._Element) -> tuple[str, list[ChartRow]]:
    """Return title and rows like `chart_table`, for the kinds of chart that came with Office 2016."""
    columns = [_read_level(level) for level in chart.iterfind(".//{*}chartData/{*}data/*/{*}lvl")]
    names = [_element_text(series.find("{*}tx")) for series in chart.iterfind(".//{*}series")]
    head = [*[""] * (len(columns) - len(names)), *names][: len(columns)]
    return _element_text(chart.find(".//{*}title")), _build_rows(head, columns)


def _diagram_nodes(data: etree._Element) -> Iterator[tuple[int, list[etree._Element]]]:
    """Yield the depth and the paragraphs of each SmartArt node with text, in the order in which they are drawn."""
    points = {point.get("modelId", ""): point for point in data.iterfind("{*}ptLst/{*}pt")}
    points = {key: point for key, point in points.items() if point.get("type", "node") in _NODES}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    inner: set[str] = set()
    for link in data.iterfind("{*}cxnLst/{*}cxn"):
        source, target = link.get("srcId", ""), link.get("destId", "")
        if link.get("type", "parOf") == "parOf" and source in points and target in points:
            below[source].append((parse_bounded_int(link.get("srcOrd"), 0), target))
            inner.add(target)
    ahead = [(0, key) for key in reversed(points) if key not in inner]
    while ahead:
        depth, key = ahead.pop()
        if (point := points.pop(key, None)) is not None:
            paragraphs = point.findall("{*}t/{*}p")
            if has_text := any(text.strip() for paragraph in paragraphs for text in paragraph.itertext("{*}t")):
                yield depth, paragraphs
            ahead += [(depth + has_text, child) for _, child in sorted(below[key], reverse=True)]


def _build_rows(head: ChartRow, columns: list[dict[int, str]]) -> list[ChartRow]:
    """Return rows for all places of points, beneath their names."""
    places = sorted(set().union(*columns))
    return [head, *([column.get(place, "") for column in columns] for place in places)] if places else []


def _read_points(data: etree._Element | None) -> dict[int, str]:
    """Return the stored values by place; categories of several levels as `2025 - Q1`."""
    if data is None:
        return {}
    levels = [_read_level(level) for level in data.iterfind(".//{*}multiLvlStrCache/{*}lvl")]
    if levels:
        places = sorted(set().union(*levels))
        spread = [accumulate([level.get(place, "") for place in places], _carry_forward) for level in reversed(levels)]
        return {place: " - ".join(filter(None, names)) for place, *names in zip(places, *spread, strict=True)}
    cache = next(data.iter("{*}strCache", "{*}numCache", "{*}strLit", "{*}numLit"), None)
    return {} if cache is None else _read_level(cache)


def _carry_forward(previous: str, name: str) -> str:
    return name or previous


def _read_level(cache: etree._Element) -> dict[int, str]:
    """Return the first stored points, figures as their format shows them."""
    code = (cache.findtext("{*}formatCode") or "General") if local_name(cache).startswith("num") else ""
    points: dict[int, str] = {}
    for point in cache.iterfind("{*}pt"):
        value = (point.findtext("{*}v") or point.text or "").strip()
        if value and len(points) < _MAX_POINTS:
            points[parse_bounded_int(point.get("idx"), 0)] = (
                _format_point(value, point.get("formatCode") or code) if code else value
            )
    return points


def _format_point(value: str, code: str) -> str:
    try:
        return parse_number_format(code).format_value(float(value)).strip()
    except (ValueError, ArithmeticError):
        return value


def _axis_title(chart: etree._Element, *kinds: str) -> str:
    titles = (_element_text(chart.find(f".//{{*}}plotArea/{{*}}{kind}/{{*}}title")) for kind in kinds if kind)
    return next(filter(None, titles), "")


def _element_text(element: etree._Element | None) -> str:
    """Return the words of a title or of a series' name, written there or taken from its cells."""
    if element is None:
        return ""
    lines = element.findall(".//{*}p") or [element]
    return " ".join(" ".join("".join(map(str, line.itertext("{*}t", "{*}v"))) for line in lines).split())
