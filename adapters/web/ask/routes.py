"""Where people ask, read on, and press what stands below an answer."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import BaseRoute, Route

from adapters.web.ask.asking import Asking
from adapters.web.ask.live import Live
from adapters.web.ask.pressing import Pressing
from adapters.web.ask.talk import TalkPages
from adapters.web.ask.you import You
from adapters.web.guard import changing, looking
from adapters.web.site import Site
from pipeline.ports import Inbox


def routes(site: Site, inbox: Inbox, live: Live) -> Sequence[BaseRoute]:
    talks, you = TalkPages(site, live), You(site)
    return [
        Route("/", looking(site, talks.first)),
        Route("/c/{id}", looking(site, talks.show)),
        Route("/c/{id}/events", looking(site, talks.events)),
        Route("/ask", changing(site, Asking(site, inbox).ask), methods=["POST"]),
        Route("/press", changing(site, Pressing(site, inbox).press), methods=["POST"]),
        Route("/you", looking(site, you.show)),
        Route("/you", changing(site, you.choose), methods=["POST"]),
    ]
