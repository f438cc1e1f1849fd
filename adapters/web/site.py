"""What every room of the page is given."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.web.visitor import Visitors
from pipeline.ports import Desk, Reading


@dataclass(frozen=True, kw_only=True)
class Site:
    visitors: Visitors
    desk: Desk
    reading: Reading
    originals: bool
    """Readers may download the original file of a source."""
