"""What every room of the page is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adapters.chat.reply.parts import Look
from adapters.http.caller import Pace
from adapters.web.links import SignedLinks
from adapters.web.visitor import Visitors
from pipeline.ports import Archive, Desk, Overview, Reading
from pipeline.values import Actor


@dataclass(frozen=True, kw_only=True)
class Site:
    visitors: Visitors
    desk: Desk
    reading: Reading
    archive: Archive
    overview: Overview
    look: Look
    pace: Pace = field(default_factory=Pace)
    links: SignedLinks | None = None
    """None where readers cannot reach the page by an address."""
    originals: bool
    """Readers may download the original file of a source."""
    admin: Callable[[Actor], bool] = lambda actor: False
    """Whether to show somebody what admins see; it is checked again where it is asked for."""
