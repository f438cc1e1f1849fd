"""Plots as inline SVG, in the colours of the page around them, without a script."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

from lxml import etree

from pipeline.values.insights import Counts

_STYLE: dict[str, object] = {
    "background": "transparent",
    "plot_background": "transparent",
    "foreground": "var(--ink)",
    "foreground_strong": "var(--ink)",
    "foreground_subtle": "var(--faint)",
    "guide_stroke_color": "var(--line)",
    "major_guide_stroke_color": "var(--line)",
    "colors": ("var(--answered)", "var(--partial)", "var(--not-found)", "var(--failed)"),
    "opacity": "1",
    "opacity_hover": "1",
    "transition": "0s",
    "font_family": "inherit",
    "label_font_size": 13,
    "major_label_font_size": 13,
    "legend_font_size": 14,
}
_SVG = "{http://www.w3.org/2000/svg}"
_ROW = 28
"""Pixels of a bar that lies."""


def _pygal() -> Any:
    """The library, without the finder that it leaves among Python's: none of ours needs it, and Python 3.11 warns of it
    with every import that follows."""
    module = importlib.import_module("pygal")
    importlib.import_module("pygal.style")
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]
    return module


def by_week(names: Sequence[str], counts: Sequence[Counts]) -> Any:
    """Standing bars, one a week."""
    chart = _pygal().StackedBar(**_layout(height=320), x_label_rotation=35 if len(names) > 8 else 0)
    return _drawn(chart, names, counts, "Questions by week and outcome")


def by_place(names: Sequence[str], counts: Sequence[Counts]) -> Any:
    """Lying bars, one a place, the first on top."""
    chart = _pygal().HorizontalStackedBar(**_layout(height=110 + _ROW * len(names)))
    return _drawn(chart, names[::-1], counts[::-1], "Questions by place and outcome")


def _layout(*, height: int) -> dict[str, object]:
    return {
        "style": _pygal().style.Style(**_STYLE),
        "js": [],
        "width": 860,
        "height": height,
        "margin": 8,
        "legend_at_bottom": True,
        "legend_at_bottom_columns": 4,
        "truncate_label": -1,
        "truncate_legend": -1,
        "min_scale": 2,
        "formatter": lambda value: f"{value:.0f}",
    }


def _drawn(chart: Any, names: Sequence[str], counts: Sequence[Counts], label: str) -> Any:
    """An `svg` element with its name for those who do not see it."""
    chart.x_labels = names
    chart.add("answered", [of.answered for of in counts])
    chart.add("partly", [of.partial for of in counts])
    chart.add("not found", [of.not_found for of in counts])
    chart.add("failed", [of.failed for of in counts])
    svg = chart.render_tree()
    etree.strip_elements(svg, etree.Comment, f"{_SVG}script", "script", with_tail=False)
    svg.set("role", "img")
    svg.set("aria-label", label)
    return svg
