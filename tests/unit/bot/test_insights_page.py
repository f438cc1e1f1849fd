"""The page of insights: one file, no network, and text stays text."""

from __future__ import annotations

import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from bot.insights.page import render_insights_page
from pipeline.values.insights import (
    CitedDocument,
    Contradiction,
    DocumentRef,
    GapKind,
    Insights,
    KnowledgeGap,
    PlaceCounts,
    QuestionCounts,
    QuestionGroup,
    WeekCounts,
)
from pipeline.words.text import strip_invisible
from tests.e2e.chromium import FLAGS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ATTACK = '"><script>document.title = "taken over"</script><img src=x onerror="alert(1)">'


def seen(text: str = "How many vacation days?") -> Insights:
    counts = QuestionCounts(asked=12345, answered=9007, partial=1003, not_found=2331, failed=4, unhelpful=77)
    paper = DocumentRef(id="p", title=text, collection=text)
    group = QuestionGroup(question=text, count=3211, people=42, private=False)
    return Insights(
        since=date(2026, 10, 1),
        until=date(2026, 10, 31),
        counts=counts,
        places=(PlaceCounts(place="slack:T1:C1", counts=counts),),
        weeks=(WeekCounts(monday=date(2026, 10, 5), counts=counts),),
        most_asked=(group,),
        gaps=(
            KnowledgeGap(group=group, lack=GapKind.LOW, not_answered=1, unhelpful=2, low=3, waiting=8, nearest=paper),
        ),
        contradictions=(Contradiction(papers=(paper, paper), count=5, question=text, private=False),),
        never_cited=(paper,),
        outdated=(CitedDocument(paper=paper, count=6, changed="2020-01-01"),),
    )


@given(st.text())
def test_whatever_people_wrote_is_text_on_the_page(text: str) -> None:
    found, plain = html.fromstring(render_insights_page(seen(text))), html.fromstring(render_insights_page(seen()))
    assert len(list(found.iter())) == len(list(plain.iter()))
    cells = [" ".join(str(cell.text_content()).split()) for cell in found.iter("td")]
    assert " ".join(strip_invisible(text).translate(dict.fromkeys((0xFFFE, 0xFFFF))).split()) in cells


def test_nothing_on_the_page_leads_elsewhere_or_runs() -> None:
    found = html.fromstring(render_insights_page(seen(ATTACK)))
    assert list(found.iter("script", "link", "img", "iframe", "object", "a")) == []
    assert "@import" not in render_insights_page(seen())
    assert "url(http" not in render_insights_page(seen())


def test_each_plot_has_a_name_and_its_figures_as_a_table() -> None:
    found = html.fromstring(render_insights_page(seen()))
    assert [figure.get("aria-label") for figure in found.xpath("//*[local-name()='svg'][@role='img']")] == [
        "Questions by week and outcome",
        "Questions by place and outcome",
    ]
    assert len(found.xpath("//figure/following-sibling::details[1]")) == 2


def test_a_browser_shows_the_figures_and_runs_nothing(tmp_path: Path) -> None:
    if not CHROMIUM:
        pytest.skip("no browser: apt-get install chromium")
    file = tmp_path / "page.html"
    file.write_text(render_insights_page(seen(ATTACK)), encoding="utf-8")
    command = (CHROMIUM, *FLAGS, "--disable-gpu", f"--user-data-dir={tmp_path}/profile")
    shown = subprocess.run([*command, "--dump-dom", file.as_uri()], capture_output=True, check=True, timeout=100)
    document = html.fromstring(shown.stdout.decode())
    assert str(document.findtext(".//title")).startswith("Citewell insights")
    text = str(document.text_content())
    assert all(figure in text for figure in ("12,345", "9,007", "1,003", "2,331", "3,211", "42", "2020-01-01"))
    bars = document.xpath("//*[local-name()='svg']//*[local-name()='rect'][contains(@class, 'rect')]")
    assert len([bar for bar in bars if float(bar.get("width") or 0) > 0 and float(bar.get("height") or 0) > 0]) >= 6
