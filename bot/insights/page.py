"""Insights as one page that opens without a network: no script, no address but its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from lxml import html
from lxml.html import builder as tag

from adapters.chat.words.advice import advice, draft
from bot.insights import plots
from pipeline.values.insights import Counts, Gap, Insights
from pipeline.words.text import visible

PLACES = 12
"""Bars of the plot; the table holds all."""
NEVER = 200
"""Documents listed that were never cited."""
_NO_LETTERS = dict.fromkeys((0xFFFE, 0xFFFF))
"""Not allowed in a page."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(seen: Insights) -> str:
    """The whole file. All that people and documents wrote is text in it, never markup."""
    title = f"Citewell insights, {seen.since} to {seen.until}"
    head = tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": POLICY}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.TITLE(title),
        tag.STYLE(resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")),
    )
    body = tag.BODY(tag.MAIN(tag.H1(title), *_parts(seen)))
    whole = tag.HTML(head, body, lang="en")
    return str(html.tostring(whole, doctype="<!doctype html>", encoding="unicode"))


def _parts(seen: Insights) -> Iterable[Any]:
    yield _figures(seen.counts)
    weeks = [(str(week.monday), week.counts) for week in seen.weeks]
    places = [(place.place, place.counts) for place in seen.places]
    yield from _plotted("By week", "Week from", weeks, plots.by_week, weeks)
    yield from _plotted("By place", "Place", places, plots.by_place, places[:PLACES])
    yield from _table(
        "Gaps: what to write",
        ("Question", "Times", "People", "Waiting", "Why", "What to do"),
        [
            (gap.group.question, gap.group.count, gap.group.people, gap.waiting, _why(gap), advice(gap))
            for gap in seen.gaps
        ],
        "Every question was answered well.",
    )
    for gap in seen.gaps:
        yield tag.DETAILS(tag.SUMMARY(f"A draft for “{_text(gap.group.question)}”"), tag.PRE(_text(draft(gap))))
    yield from _table(
        "Asked most",
        ("Question", "Times", "People"),
        [(group.question, group.count, group.people) for group in seen.most_asked],
        "Nothing was asked.",
    )
    yield from _table(
        "Documents that do not agree",
        ("Documents", "Answers", "Asked"),
        [("; ".join(paper.title for paper in one.papers), one.count, one.question) for one in seen.contradictions],
        "None was met.",
    )
    yield from _table(
        "Cited most, and older than a year",
        ("Document", "Answers", "Changed"),
        [(cited.paper.title, cited.count, cited.changed) for cited in seen.outdated],
        "None.",
    )
    yield from _table(
        f"Never cited: {len(seen.never_cited)} of the documents",
        ("Document", "Collection"),
        [(paper.title, paper.collection) for paper in seen.never_cited[:NEVER]],
        "None.",
    )


def _figures(counts: Counts) -> Any:
    figures = (
        ("asked", counts.asked),
        ("answered", counts.answered),
        ("partly", counts.partial),
        ("not found", counts.not_found),
        ("failed", counts.failed),
        ("rated not helpful", counts.unhelpful),
    )
    return tag.DL(*(tag.DIV(tag.DT(name), tag.DD(f"{count:,}")) for name, count in figures))


def _plotted(
    heading: str, kind: str, rows: Sequence[tuple[str, Counts]], plot: Any, drawn: Sequence[tuple[str, Counts]]
) -> Iterable[Any]:
    """A plot, and the same figures as a table."""
    yield tag.H2(heading)
    if not rows:
        yield tag.P("Nothing was asked.")
        return
    figure = tag.FIGURE()
    figure.append(plot([visible(name) for name, _ in drawn], [of for _, of in drawn]))
    yield figure
    columns = (kind, "Asked", "Answered", "Partly", "Not found", "Failed", "Not helpful")
    yield tag.DETAILS(
        tag.SUMMARY("The same as a table"),
        _grid(
            columns,
            [(name, of.asked, of.answered, of.partial, of.not_found, of.failed, of.unhelpful) for name, of in rows],
        ),
    )


def _table(heading: str, columns: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> Iterable[Any]:
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


def _text(found: str) -> str:
    return visible(found).translate(_NO_LETTERS)


def _why(gap: Gap) -> str:
    parts = ((gap.not_answered, "not answered"), (gap.unhelpful, "rated not helpful"), (gap.low, "low confidence"))
    return ", ".join(f"{count:,} {name}" for count, name in parts if count)
