"""A page with every way to sign in, and nobody who asks too often."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.http import auth
from adapters.web import wiring
from adapters.web.signin import routes
from tests.doubles.oidc import Provider
from tests.doubles.signed_in import Page
from tests.doubles.ways_in import every_way


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    for module, name in (
        (routes, "SIGN_INS_PER_MINUTE"),
        (auth, "FAILED_CALLS_PER_MINUTE"),
        (auth, "PERSON_PER_MINUTE"),
    ):
        monkeypatch.setattr(module, name, 1_000)
    async with Provider().serving() as served:
        for name in ("SLACK", "DISCORD"):
            monkeypatch.setattr(wiring, name, served.issuer)
        yield served


@pytest.fixture
async def page(provider: Provider, tmp_path: Path) -> AsyncIterator[Page]:
    async with every_way(provider, tmp_path) as opened:
        yield opened
