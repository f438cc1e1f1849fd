"""The insights as one page that opens without a network: no script, no address but its own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from lxml import etree, html
from lxml.html import builder as tag

from adapters.chat.words.advice import gap_advice, gap_draft
from pipeline.values.insights import Insights, KnowledgeGap, QuestionCounts
from pipeline.words.text import strip_invisible

# --- Plots as inline SVG, in the colours of the page around them, without a script ----------------

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
"""Pixels of a horizontal bar."""


def _pygal() -> Any:
    """Import pygal, without the finder that it leaves in Python's import system.

    We do not need the finder, and Python 3.11 warns of it at every later import.
    """
    module = importlib.import_module("pygal")
    importlib.import_module("pygal.style")
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]
    return module


def weekly_chart(names: Sequence[str], counts: Sequence[QuestionCounts]) -> Any:
    """Draw vertical bars, one for each week."""
    chart = _pygal().StackedBar(**_layout(height=320), x_label_rotation=35 if len(names) > 8 else 0)
    return _draw(chart, names, counts, "Questions by week and outcome")


def place_chart(names: Sequence[str], counts: Sequence[QuestionCounts]) -> Any:
    """Draw horizontal bars, one for each place, the first on top."""
    chart = _pygal().HorizontalStackedBar(**_layout(height=110 + _ROW * len(names)))
    return _draw(chart, names[::-1], counts[::-1], "Questions by place and outcome")


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


def _draw(chart: Any, names: Sequence[str], counts: Sequence[QuestionCounts], label: str) -> Any:
    """Draw an `svg` element with a label for screen readers."""
    chart.x_labels = names
    chart.add("answered", [row.answered for row in counts])
    chart.add("partly", [row.partial for row in counts])
    chart.add("not found", [row.not_found for row in counts])
    chart.add("failed", [row.failed for row in counts])
    svg = chart.render_tree()
    etree.strip_elements(svg, etree.Comment, f"{_SVG}script", "script", with_tail=False)
    svg.set("role", "img")
    svg.set("aria-label", label)
    return svg


# --- The page -------------------------------------------------------------------------------------

MAX_CHART_PLACES = 12
"""Bars of the plot; the table holds all."""
MAX_UNCITED_DOCUMENTS = 200
"""Documents listed that were never cited."""
_NO_LETTERS = dict.fromkeys((0xFFFE, 0xFFFF))
"""Characters not allowed in a page."""
INSIGHTS_PAGE_CSP = "default-src 'none'; style-src 'unsafe-inline'"


def render_insights_page(insights: Insights) -> str:
    """Return the complete file. Everything that people and documents wrote is text in it, never markup."""
    title = f"Citewell insights, {insights.since} to {insights.until}"
    head = tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": INSIGHTS_PAGE_CSP}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.TITLE(title),
        tag.STYLE(resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")),
    )
    body = tag.BODY(tag.MAIN(tag.H1(title), *_sections(insights)))
    page = tag.HTML(head, body, lang="en")
    return str(html.tostring(page, doctype="<!doctype html>", encoding="unicode"))


def _sections(insights: Insights) -> Iterable[Any]:
    yield _summary_figures(insights.counts)
    weeks = [(str(week.monday), week.counts) for week in insights.weeks]
    places = [(place.place, place.counts) for place in insights.places]
    yield from _plot_section("By week", "Week from", weeks, weekly_chart, weeks)
    yield from _plot_section("By place", "Place", places, place_chart, places[:MAX_CHART_PLACES])
    yield from _table_section(
        "Gaps in the documents",
        ("Question", "Times", "People", "Waiting", "Why", "What to do"),
        [
            (gap.group.question, gap.group.count, gap.group.people, gap.waiting, _gap_reasons(gap), gap_advice(gap))
            for gap in insights.gaps
        ],
        "Every question was answered well.",
    )
    for gap in insights.gaps:
        yield tag.DETAILS(tag.SUMMARY(f"A draft for “{_text(gap.group.question)}”"), tag.PRE(_text(gap_draft(gap))))
    yield from _table_section(
        "Most asked",
        ("Question", "Times", "People"),
        [(group.question, group.count, group.people) for group in insights.most_asked],
        "Nothing was asked.",
    )
    yield from _table_section(
        "Documents that do not agree",
        ("Documents", "Answers", "Asked"),
        [
            ("; ".join(paper.title for paper in contradiction.papers), contradiction.count, contradiction.question)
            for contradiction in insights.contradictions
        ],
        "None.",
    )
    yield from _table_section(
        "Most cited, and older than a year",
        ("Document", "Answers", "Changed"),
        [(cited.paper.title, cited.count, cited.changed) for cited in insights.outdated],
        "None.",
    )
    yield from _table_section(
        f"Never cited: {len(insights.never_cited)} of the documents",
        ("Document", "Collection"),
        [(paper.title, paper.collection) for paper in insights.never_cited[:MAX_UNCITED_DOCUMENTS]],
        "None.",
    )


def _summary_figures(counts: QuestionCounts) -> Any:
    figures = (
        ("asked", counts.asked),
        ("answered", counts.answered),
        ("partly", counts.partial),
        ("not found", counts.not_found),
        ("failed", counts.failed),
        ("rated not helpful", counts.unhelpful),
    )
    return tag.DL(*(tag.DIV(tag.DT(name), tag.DD(f"{count:,}")) for name, count in figures))


def _plot_section(
    heading: str,
    kind: str,
    rows: Sequence[tuple[str, QuestionCounts]],
    plot: Any,
    drawn: Sequence[tuple[str, QuestionCounts]],
) -> Iterable[Any]:
    """Yield a plot, and its figures as a table."""
    yield tag.H2(heading)
    if not rows:
        yield tag.P("Nothing was asked.")
        return
    figure = tag.FIGURE()
    figure.append(plot([strip_invisible(name) for name, _ in drawn], [row_counts for _, row_counts in drawn]))
    yield figure
    columns = (kind, "Asked", "Answered", "Partly", "Not found", "Failed", "Not helpful")
    yield tag.DETAILS(
        tag.SUMMARY("The same as a table"),
        _grid(
            columns,
            [
                (
                    name,
                    row_counts.asked,
                    row_counts.answered,
                    row_counts.partial,
                    row_counts.not_found,
                    row_counts.failed,
                    row_counts.unhelpful,
                )
                for name, row_counts in rows
            ],
        ),
    )


def _table_section(heading: str, columns: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> Iterable[Any]:
    yield tag.H2(heading)
    yield _grid(columns, rows) if rows else tag.P(none)


def _grid(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Any:
    return tag.TABLE(
        tag.THEAD(tag.TR(*(_header(name, at, rows) for at, name in enumerate(columns)))),
        tag.TBODY(*(tag.TR(*map(_cell, row)) for row in rows)),
    )


def _header(name: str, at: int, rows: Sequence[Sequence[object]]) -> Any:
    return tag.TH(name, tag.CLASS("number" if isinstance(rows[0][at], int) else ""), scope="col")


def _cell(value: object) -> Any:
    if isinstance(value, int):
        return tag.TD(f"{value:,}", tag.CLASS("number"))
    return tag.TD(_text(str(value)))


def _text(text: str) -> str:
    return strip_invisible(text).translate(_NO_LETTERS)


def _gap_reasons(gap: KnowledgeGap) -> str:
    parts = ((gap.not_answered, "not answered"), (gap.unhelpful, "rated not helpful"), (gap.low, "low confidence"))
    return ", ".join(f"{count:,} {name}" for count, name in parts if count)
