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
    days: Annotated[int, typer.Option("--days", min=1, help="How far to look back; no further than is kept.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with plots to this file.")] = None,
    data: DataOption = None,
) -> None:
    """Show what people asked, what came of it, and what the documents lack; people are counted, never named."""
    found = load_settings(data)

    async def work() -> None:
        from bot.insights.analysis import compute_insights
        from bot.services.authority import OPERATOR_ACTOR
        from bot.wiring import open_citewell

        async with open_citewell(found, make=False) as citewell:
            await citewell.authority.require(OPERATOR_ACTOR, Action.READ_INSIGHTS)
            drafter = citewell.model.drafter if citewell.model else None
            seen = await compute_insights(
                citewell.storage, citewell.embedder, citewell.rules.platforms, days, drafter=drafter
            )
        if html:
            from bot.insights.page import render_insights_page

            html.write_text(render_insights_page(seen), encoding="utf-8")
            print_line(f"The page is in {html}.")
        elif as_json:
            out.print_json(seen.model_dump_json())
        else:
            _show(seen)

    run_async(work())


def _show(seen: Insights) -> None:
    from adapters.chat.words.advice import gap_advice, gap_draft

    counts = seen.counts
    out.print(
        f"{seen.since} to {seen.until}: {counts.asked} asked, {counts.answered} answered, {counts.partial} partly, "
        f"{counts.not_found} not found, {counts.failed} failed, {counts.unhelpful} rated not helpful"
    )
    if not counts.asked:
        titles = format_alternatives(platform.title for platform in registry.platforms())
        out.print(f"Nobody asked on {titles} then; what is asked in a terminal is not kept.")
    header = ("asked", "answered", "partly", "not found", "not helpful")
    rows = [(place.place, place.counts) for place in seen.places] + [
        (str(week.monday), week.counts) for week in seen.weeks
    ]
    table = Table(Column("place or week", overflow="fold"), *header, box=None)
    for name, of in rows:
        table.add_row(
            Text(to_single_line(name)), *map(str, (of.asked, of.answered, of.partial, of.not_found, of.unhelpful))
        )
    if rows:
        out.print(table)
    _list("Asked most", (f"{group.count} × {group.question}" for group in seen.most_asked))
    _list(
        "Gaps",
        (
            f"{gap.group.count} × {gap.group.question} ({gap.lack}; "
            f"{wording.count_noun(gap.group.people, 'person', 'people')}, {gap.waiting} waiting to be told)."
            f" {gap_advice(gap)}"
            for gap in seen.gaps
        ),
    )
    for gap in seen.gaps[:MAX_DRAFTS_SHOWN]:
        out.print(f"\nA draft for {to_single_line(gap.group.question)}", style="bold", markup=False)
        out.print(gap_draft(gap), markup=False, soft_wrap=True)
    _list(
        "Documents that do not agree",
        (
            f"{one.count} × {' | '.join(paper.title for paper in one.papers)}, asked: {one.question}"
            for one in seen.contradictions
        ),
    )
    _list(
        "Cited, and older than a year",
        (f"{cited.count} × {cited.paper.title} ({cited.changed})" for cited in seen.outdated),
    )
    never = [paper.title for paper in seen.never_cited]
    more = [f"and {len(never) - MAX_UNCITED_SHOWN} more (--json lists all)"] if len(never) > MAX_UNCITED_SHOWN else []
    _list("Never cited", [*never[:MAX_UNCITED_SHOWN], *more])


def _list(heading: str, entries: Iterable[str]) -> None:
    listed = list(entries)
    if listed:
        out.print(f"\n{heading}", style="bold")
    for entry in listed:
        print_line(f"  {entry}")
