"""The page, as the rest of Citewell knows it."""

from __future__ import annotations

from pipeline.values.platform import IdFormat, Platform

SPACE = "page"
"""Everyone who signs in is in it, and alone with the bot there."""

WEB = Platform(
    name="web",
    title="the page",
    setting="CITEWELL_WEB",
    required_settings="CITEWELL_WEB",
    space=IdFormat(label="page", pattern="web:page", example="web:page"),
    channel=IdFormat(label="conversation", pattern="web:page:[0-9a-z]+", example="web:page:7f3a"),
    person=IdFormat(label="person", pattern="web:user:[^:\\s]+", example="web:user:ann"),
    role=IdFormat(label="group", pattern="web:group:[^:\\s]+", example="web:group:staff"),
    has_global_users=True,
    read_by_role=True,
    direct_space=SPACE,
    is_one_to_one=True,
)
