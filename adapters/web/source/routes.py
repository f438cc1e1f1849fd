"""Where the text of a document is shown, at the passage that was cited."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import BaseRoute

from adapters.web.site import Site


def routes(site: Site) -> Sequence[BaseRoute]:
    return []
