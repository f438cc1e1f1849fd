"""Which messages ask what changed since a day, and since which."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plan.date_filter import parse_changes_query

TODAY = date(2026, 11, 27)
"""A Friday."""


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What changed since May?", "2026-05-01"),
        ("What's new since 1 March 2026?", "2026-03-01"),
        ("what changed since december", "2025-12-01"),
        ("What has changed since Monday?", "2026-11-23"),
        ("what changed last week?", "2026-11-16"),
        ("Which documents were updated this month?", "2026-11-01"),
        ("which policies changed in the last 30 days", "2026-10-28"),
        ("What changed over the past two weeks?", "2026-11-09"),
        ("Anything new since last Friday?", "2026-11-20"),
        ("has anything changed since 2026-06-01?", "2026-06-01"),
        ("Since May, what has changed in the docs?", "2026-05-01"),
        ("Show me all changes since yesterday", "2026-11-26"),
        ("list documents changed after 2025", "2025-01-01"),
        ("Was hat sich seit Mai geändert?", "2026-05-01"),
        ("Was ist neu seit dem 1. Mai?", "2026-05-01"),
        ("Qu’est-ce qui a changé depuis mai ?", "2026-05-01"),
        ("¿Qué ha cambiado desde el 1 de marzo de 2026?", "2026-03-01"),
        ("5月以降に何が変わりましたか？", "2026-05-01"),
        ("What changed since Q1 2026?", "2026-01-01"),
        ("what changed since the third quarter?", "2026-07-01"),
        ("What changed since the first quarter of 2025?", "2025-01-01"),
        ("What changed since Q4?", "2026-10-01"),
        ("What changed since last quarter?", "2026-07-01"),
        ("what changed this quarter?", "2026-10-01"),
        ("What changed since the beginning of the year?", "2026-01-01"),
        ("Was hat sich seit letztem Freitag geändert?", "2026-11-20"),
        ("Was hat sich seit dem letzten Montag geändert?", "2026-11-23"),
        ("Was ist neu seit letzter Woche?", "2026-11-16"),
        ("Was hat sich seit vergangenem Monat geändert?", "2026-10-01"),
        ("Was gibt es Neues seit dem 2. Quartal 2026?", "2026-04-01"),
        ("Was hat sich seit Q1 2026 geändert?", "2026-01-01"),
        ("Welche Dokumente wurden seit Jahresbeginn geändert?", "2026-01-01"),
        ("Was hat sich seit Anfang Mai geändert?", "2026-05-01"),
        ("Qu'est-ce qui a changé depuis vendredi dernier ?", "2026-11-20"),
        ("Quoi de neuf depuis la semaine dernière ?", "2026-11-16"),
        ("Qu'est-ce qui a changé depuis le mois dernier ?", "2026-10-01"),
        ("Qu'est-ce qui a changé depuis le premier trimestre 2026 ?", "2026-01-01"),
        ("Quels documents ont changé depuis le T2 2026 ?", "2026-04-01"),
        ("Qu'est-ce qui a changé depuis le début de l'année ?", "2026-01-01"),
        ("¿Qué ha cambiado desde el viernes pasado?", "2026-11-20"),
        ("¿Qué hay de nuevo desde la semana pasada?", "2026-11-16"),
        ("¿Qué ha cambiado desde el primer trimestre de 2026?", "2026-01-01"),
        ("¿Qué ha cambiado desde el mes pasado?", "2026-10-01"),
        ("¿Qué documentos han cambiado desde el 2T 2026?", "2026-04-01"),
        ("先週の金曜日から何が変わりましたか", "2026-11-20"),
        ("先週の月曜日以降に何が変わりましたか", "2026-11-16"),
        ("先月から何が変わりましたか？", "2026-10-01"),
        ("2026年第1四半期以降に何が変わりましたか？", "2026-01-01"),
    ],
)
def test_a_day_is_the_last_that_is_called_so_and_of_a_week_month_or_year_the_first(question: str, day: str) -> None:
    assert parse_changes_query(question, TODAY) == (date.fromisoformat(day), "")


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What changed about parental leave since May?", "parental leave"),
        ("what changed since May about parental leave?", "parental leave"),
        ("Since May, any changes to the travel policy?", "the travel policy"),
        ("Was hat sich beim Urlaub seit Mai geändert?", "Urlaub"),
        ("Quoi de neuf sur les congés depuis mai ?", "les congés"),
        ("¿Qué hay de nuevo sobre las vacaciones desde mayo?", "las vacaciones"),
        ("Was hat sich seit Mai beim Urlaub geändert?", "Urlaub"),
        ("育児休暇について5月から何が変わりましたか？", "育児休暇"),
    ],
)
def test_a_topic_is_what_is_named_beside_the_day(question: str, about: str) -> None:
    assert parse_changes_query(question, TODAY) == (date(2026, 5, 1), about)


@pytest.mark.parametrize(
    "question",
    [
        "What changed in 3.1.0?",
        "What changed since 3.12?",
        "What has changed since version 2?",
        "What changed since the last release?",
        "What changed since the 1970s?",
        "What changed since tomorrow?",
        "What changed since Q1 2027?",
        "What changed since Q5 2026?",
        "Was hat sich seit dem letzten Release geändert?",
        "What changed in May 2026?",
        "What is new?",
        "What policies have been in force since 2020?",
        "What new law was passed since May?",
        "How long have we been here since May?",
    ],
)
def test_versions_events_and_other_questions_are_none(question: str) -> None:
    assert parse_changes_query(question, TODAY) is None


@given(st.integers(0, 10_000))
def test_every_day_up_to_today_is_understood_as_it_is_written(days: int) -> None:
    day = TODAY - timedelta(days=days)
    assert parse_changes_query(f"What changed since {day}?", TODAY) == (day, "")
    assert parse_changes_query(f"What changed since {day.day} {day:%B %Y}?", TODAY) == (day, "")


@given(st.text(max_size=60))
def test_whatever_stands_there_is_a_day_in_the_past_or_none(text: str) -> None:
    found = parse_changes_query(f"What changed since {text}?", TODAY)
    assert found is None or found.day <= TODAY
