"""`citewell insights`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from bot import registry
from bot.commands.terminal import DataOption, load_settings, out, print_line, run_async
from pipeline.rules.platforms import format_alternatives
from pipeline.values import Action
from pipeline.words import wording
from pipeline.words.text import to_single_line

if TYPE_CHECKING:
    from pipeline.values.insights import Insights

MAX_UNCITED_SHOWN = 10
MAX_DRAFTS_SHOWN = 3
"""Gaps whose drafts are shown; --json and --html have all."""


def insights(
    days: Annotated[int, typer.Option("--days", min=1, help="Days to look back, as far as questions are kept.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with plots to this file.")] = None,
    data: DataOption = None,
) -> None:
    """Show what people asked, how it was answered and what the documents lack. People are counted, never named."""
    settings = load_settings(data)

    async def work() -> None:
        from bot.insights.analysis import compute_insights
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(settings, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.READ_INSIGHTS)
            drafter = citewell.model.drafter if citewell.model else None
            report = await compute_insights(
                citewell.storage, citewell.embedder, citewell.rules.platforms, days, drafter=drafter
            )
        if html:
            from bot.insights.page import render_insights_page

            html.write_text(render_insights_page(report), encoding="utf-8")
            print_line(f"The page is in {html}.")
        elif as_json:
            out.print_json(report.model_dump_json())
        else:
            _print_insights(report)

    run_async(work())


def _print_insights(report: Insights) -> None:
    from adapters.chat.words.advice import gap_advice, gap_draft

    counts = report.counts
    out.print(
        f"{report.since} to {report.until}: {counts.asked} asked, {counts.answered} answered, {counts.partial} partly, "
        f"{counts.not_found} not found, {counts.failed} failed, {counts.unhelpful} rated not helpful"
    )
    if not counts.asked:
        titles = format_alternatives(platform.title for platform in registry.platforms())
        out.print(f"Nobody asked on {titles} then; what is asked in a terminal is not kept.")
    header = ("asked", "answered", "partly", "not found", "not helpful")
    rows = [(place.place, place.counts) for place in report.places] + [
        (str(week.monday), week.counts) for week in report.weeks
    ]
    table = Table(Column("place or week", overflow="fold"), *header, box=None)
    for name, row_counts in rows:
        table.add_row(
            Text(to_single_line(name)),
            *map(
                str,
                (row_counts.asked, row_counts.answered, row_counts.partial, row_counts.not_found, row_counts.unhelpful),
            ),
        )
    if rows:
        out.print(table)
    _print_list("Most asked", (f"{group.count} × {group.question}" for group in report.most_asked))
    _print_list(
        "Gaps",
        (
            f"{gap.group.count} × {gap.group.question} ({gap.lack}; "
            f"{wording.count_noun(gap.group.people, 'person', 'people')}, {gap.waiting} waiting). {gap_advice(gap)}"
            for gap in report.gaps
        ),
    )
    for gap in report.gaps[:MAX_DRAFTS_SHOWN]:
        out.print(f"\nA draft for {to_single_line(gap.group.question)}", style="bold", markup=False)
        out.print(gap_draft(gap), markup=False, soft_wrap=True)
    _print_list(
        "Documents that do not agree",
        (
            f"{contradiction.count} × {' | '.join(paper.title for paper in contradiction.papers)}, "
            f"asked: {contradiction.question}"
            for contradiction in report.contradictions
        ),
    )
    _print_list(
        "Cited, and older than a year",
        (f"{cited.count} × {cited.paper.title} ({cited.changed})" for cited in report.outdated),
    )
    never = [paper.title for paper in report.never_cited]
    more = [f"and {len(never) - MAX_UNCITED_SHOWN} more (--json lists all)"] if len(never) > MAX_UNCITED_SHOWN else []
    _print_list("Never cited", [*never[:MAX_UNCITED_SHOWN], *more])


def _print_list(heading: str, entries: Iterable[str]) -> None:
    listed = list(entries)
    if listed:
        out.print(f"\n{heading}", style="bold")
    for entry in listed:
        print_line(f"  {entry}")
