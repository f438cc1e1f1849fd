"""The page, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.platform import Id, Platform

SPACE = "page"
"""Everyone who signs in is in it, and alone with the bot there."""

WEB = Platform(
    name="web",
    title="the page",
    setting="CITEWELL_WEB",
    needs="CITEWELL_WEB",
    space=Id(word="page", form="web:page", example="web:page"),
    channel=Id(word="conversation", form="web:page:[0-9a-z]+", example="web:page:7f3a"),
    person=Id(word="person", form="web:user:[^:\\s]+", example="web:user:ann"),
    role=Id(word="group", form="web:group:[^:\\s]+", example="web:group:staff"),
    everywhere=True,
    read_by_role=True,
    direct_space=SPACE,
    alone=True,
)
