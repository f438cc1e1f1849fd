"""The page's names and id formats as a `Platform`."""

from __future__ import annotations

from pipeline.values.platform import IdFormat, Platform

SPACE = "page"
"""The one space of the page: everyone who signs in is in it, each alone with the bot."""

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
